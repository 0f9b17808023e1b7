import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rawFolder, referencesIn, type Cell, type Run } from "@gatebench/core";

/** Where the last run of a row is kept. */
export interface KeptRun {
  readonly benchmark: string;
  readonly run: Pick<Run, "target" | "id" | "order">;
  /** Its folder on the host that carried it out; undefined where there is none. */
  readonly folder: string | undefined;
}

/**
 * The command that repeats a row's run, to be typed in the results folder: the files it reads are the copies there.
 * Values of secrets stay with the session; a comment says where, while it lasts.
 */
export function byHand({ byHand: command }: Pick<Cell, "byHand">, kept: KeptRun | undefined, results: string): string {
  if (kept === undefined) return command;
  const raw = rawFolder(kept.benchmark, kept.run);
  const files = referencesIn(command).flatMap((name) => (name.startsWith("file.") ? [name.slice("file.".length)] : []));
  const typed = withFiles(command, raw);
  const secrets = referencesIn([typed, ...files.map((path) => textOf(join(results, raw, path)))].join("\n"));
  return secrets.length === 0 || kept.folder === undefined
    ? typed
    : `${typed} # ${inBrackets(secrets)} in ${vaultOf(kept.folder, kept.run.target)}`;
}

/** The command, and what is to be known before it is typed. */
export function commandAndNote(text: string): { readonly command: string; readonly note: string | undefined } {
  const [command = "", note] = text.split(" # <gatebench:");
  return { command, note: note && `<gatebench:${note}` };
}

/** A path that a shell takes as it is needs no quotes around it. */
function withFiles(command: string, raw: string): string {
  const path = (name: string) => join(raw, name);
  return command
    .replace(/'<gatebench:file\.([\w./-]+)>'/g, (_, name: string) => path(name))
    .replace(/<gatebench:file\.([^<>]+)>/g, (_, name: string) => path(name))
    .replaceAll("<gatebench:folder>", raw);
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** One is named; of many, such as a hundred consumers' keys, the first stands for all. */
const inBrackets = ([first = "", ...more]: readonly string[]): string =>
  `<gatebench:${first}>${more.length > 0 ? ` and ${more.length} more` : ""}`;

/** Beside the job's folder in its session: sessions/NAME/jobs/ID and sessions/NAME/vaults/TARGET.json. */
const vaultOf = (folder: string, target: string): string => join(dirname(dirname(folder)), "vaults", `${target}.json`);
