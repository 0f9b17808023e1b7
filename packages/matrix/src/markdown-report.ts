import type { Result } from "@gatebench/core";
import type { Report, Section, Table } from "./report/report";
import { reportOf, type ReportOptions } from "./report/report-of";

/** The whole result as Markdown: figures, how sure they are, and how to repeat them. */
export const markdownReport = (result: Result, options: ReportOptions = {}): string =>
  markdownOf(reportOf(result, options));

export function markdownOf(report: Report): string {
  const [glance, ...rest] = report.sections;
  return [
    `# ${report.title}`,
    ...report.about,
    ...(glance ? sectionLines(glance) : []),
    ...warningLines(report),
    ...skippedLines(report),
    ...rest.flatMap(sectionLines),
    ...repeatLines(report),
    "",
  ].join("\n\n");
}

const sectionLines = ({ title, text, table }: Section): readonly string[] => [
  `## ${title}`,
  ...text,
  ...(table.rows.length > 0 ? [tableLines(table)] : []),
];

function tableLines({ columns, rows }: Table): string {
  const line = (values: readonly string[]) => `| ${values.join(" | ")} |`;
  return [
    line(columns.map(({ name }) => name)),
    line(columns.map(({ isNumber }) => (isNumber ? "---:" : "---"))),
    ...rows.map((row) => line(row.map(({ text, struck }) => (struck ? `~~${inTable(text)}~~` : inTable(text))))),
  ].join("\n");
}

const inTable = (text: string): string => text.replaceAll("|", "\\|");

function warningLines({ notes }: Report): readonly string[] {
  const lines = notes.map(({ code, cap, text, rows }) => `- **${code}** (${cap}; ${rows ?? "every row"}): ${text}`);
  return lines.length === 0 ? [] : ["## What to know of these figures", lines.join("\n")];
}

function skippedLines({ skipped }: Report): readonly string[] {
  return skipped.length === 0 ? [] : ["## Not measured", skipped.map((text) => `- ${text}`).join("\n")];
}

function repeatLines({ byHand }: Report): readonly string[] {
  const commands = byHand.map(({ name, command }) => `# ${name}\n${command}`);
  if (commands.length === 0) return [];
  return [
    "## By hand",
    "In the folder of this report, while `--keep` leaves everything running:",
    `\`\`\`sh\n${commands.join("\n\n")}\n\`\`\``,
  ];
}
