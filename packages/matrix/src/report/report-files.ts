import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "@gatebench/core";
import { markdownOf } from "../markdown-report";
import { chartFiles } from "./charts/chart-file";
import { csvReport } from "./csv-report";
import { htmlReport } from "./html-report";
import { reportOf, type ReportOptions } from "./report-of";

export const forms = ["html", "md", "csv", "svg"] as const;
export type Form = (typeof forms)[number];

/** Writes the report in these forms and says which files it wrote. */
export function writeReports(
  result: Result,
  folder: string,
  chosen: readonly Form[] = ["html", "md", "csv"],
  options: ReportOptions = {},
): readonly string[] {
  const report = reportOf(result, options);
  const textsOf: Readonly<Record<Form, () => readonly (readonly [file: string, text: string])[]>> = {
    html: () => [["report.html", htmlReport(report)]],
    md: () => [["report.md", markdownOf(report)]],
    csv: () => [["report.csv", csvReport(result, options.pricePerHour)]],
    svg: () => chartFiles(report),
  };
  return chosen.flatMap((form) =>
    textsOf[form]().map(([file, text]) => {
      writeFileSync(join(folder, file), text);
      return join(folder, file);
    }),
  );
}
