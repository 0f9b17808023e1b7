import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fault, FaultError, resultSchema, type Fault, type Result } from "@gatebench/core";
import { parse } from "yaml";
import type { z } from "zod";
import { datedPrices } from "../prices";
import { publishedFormat, publishedOptions, publishedResult, publishedSchema } from "./published";
import type { ReportOptions } from "./report-of";

/** A result, and how it wants to be reported. */
export interface ReadResult {
  readonly result: Result;
  readonly options: ReportOptions;
  /** Where its report is written unless somebody says otherwise. */
  readonly folder: string;
}

/** Reads a results folder, a result.json, or published figures; throws one line for what it cannot read. */
export function readResult(path: string): ReadResult {
  const file = isFolder(path) ? join(path, "result.json") : path;
  const content = contentOf(file);
  const folder = dirname(file);
  if ((content as { format?: unknown } | null)?.format !== publishedFormat)
    return { result: checked(resultSchema, content, file) as Result, options: { pricePerHour }, folder };
  const published = checked(publishedSchema, content, file);
  return { result: publishedResult(published), options: publishedOptions(published), folder };
}

/** A result does not say where its machines were rented; the price does. */
const pricePerHour = (instanceType: string) => datedPrices.pricePerHour(instanceType, "us-east-1");

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** JSON is YAML, and read faster as what it is. */
function contentOf(file: string): unknown {
  try {
    const text = readFileSync(file, "utf8");
    return file.endsWith(".json") ? (JSON.parse(text) as unknown) : (parse(text) as unknown);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message.split("\n")[0];
    throw new FaultError([unreadable(file, reason as string)]);
  }
}

function checked<S extends z.ZodType>(schema: S, content: unknown, file: string): z.infer<S> {
  const read = schema.safeParse(content);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new FaultError([unreadable(file, `${first?.path.join(".") || "it"}: ${first?.message}`)]);
}

const unreadable = (file: string, reason: string): Fault =>
  fault(
    "unreadable-result",
    `"${file}" cannot be read as a result (${reason}). Give a results folder, its result.json, or a file of ${publishedFormat}.`,
  );
