import type { Grade } from "@gatebench/core";
import { commandAndNote } from "../by-hand";
import { chartSvg, escaped } from "./charts/chart-svg";
import { reportCss } from "./report-css";
import type { Entry, Report, Section, Table } from "./report";

/** The report as one file that asks no network for anything. */
export function htmlReport(report: Report): string {
  const chapters = chaptersOf(report);
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    // Whatever a name in the result may hold, nothing is fetched and nothing runs.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    '<link rel="icon" href="data:,">',
    `<title>${escaped(report.title)}</title>`,
    `<style>${reportCss}</style>`,
    "</head>",
    "<body>",
    `<header><h1>${escaped(report.title)}</h1>${paragraphs(report.about)}</header>`,
    navigation(chapters.map(({ title }) => title)),
    "<main>",
    ...chapters.map(({ title, body }, index) => `<section id="c${index}"><h2>${escaped(title)}</h2>${body}</section>`),
    "</main>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

interface Chapter {
  readonly title: string;
  readonly body: string;
}

function chaptersOf(report: Report): readonly Chapter[] {
  const titles = [...new Set(report.sections.map(({ chapter }) => chapter))];
  const numbered = report.sections.map((section, index) => ({ section, id: `s${index}` }));
  const [glance, ...rest] = titles.map((title) => ({
    title,
    body: numbered
      .filter(({ section }) => section.chapter === title)
      .map(({ section, id }) => sectionHtml(section, id))
      .join("\n"),
  }));
  return [...(glance ? [glance] : []), ...notesOf(report), ...skippedOf(report), ...rest, ...byHandOf(report)];
}

const navigation = (titles: readonly string[]): string =>
  `<nav aria-label="Chapters"><ul>${titles.map((title, index) => `<li><a href="#c${index}">${escaped(title)}</a></li>`).join("")}</ul></nav>`;

const paragraphs = (texts: readonly string[]): string => texts.map((text) => `<p>${escaped(text)}</p>`).join("");

/** Columns; a wider table goes below its chart. */
const fitsBeside = 6;

function sectionHtml(section: Section, id: string): string {
  const { chapter, title, text, chart, table } = section;
  const figure = chart ? `<figure>${chartSvg(chart, id)}</figure>` : "";
  return [
    `<article>`,
    title === chapter ? "" : `<h3>${escaped(title)}</h3>`,
    paragraphs(text),
    `<div${figure && table.columns.length <= fitsBeside ? ' class="beside"' : ""}>${figure}${tableHtml(table, title)}</div>`,
    "</article>",
  ].join("");
}

function tableHtml({ columns, rows }: Table, title: string): string {
  if (rows.length === 0) return "";
  const head = columns.map(
    ({ name, isNumber }) => `<th scope="col"${isNumber ? ' class="n"' : ""}>${escaped(name)}</th>`,
  );
  const body = rows.map(
    (row) =>
      `<tr>${row.map((cell, index) => entryHtml(cell, columns[index] as Table["columns"][number])).join("")}</tr>`,
  );
  return `<table><caption class="hidden">${escaped(title)}</caption><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}

function entryHtml({ text, struck, grade }: Entry, { name, isNumber }: Table["columns"][number]): string {
  const words = grade ? badge(text, grade) : escaped(text);
  const shown = struck ? `<s title="invalid">${words}</s>` : words;
  return `<td data-name="${escaped(name)}"${isNumber ? ' class="n"' : ""}>${shown}</td>`;
}

const badge = (text: string, grade: Grade): string => `<span class="${grade}">${escaped(text)}</span>`;

function notesOf({ notes }: Report): readonly Chapter[] {
  if (notes.length === 0) return [];
  const items = notes.map(
    ({ code, cap, rows, text }) =>
      `<dt>${escaped(code)} ${badge(cap === "invalid" ? "invalid" : `${cap} at best`, cap)}</dt><dd>${escaped(`${rows ?? "Every row"}: ${text}`)}</dd>`,
  );
  return [{ title: "What to know of these figures", body: `<dl>${items.join("")}</dl>` }];
}

function skippedOf({ skipped }: Report): readonly Chapter[] {
  if (skipped.length === 0) return [];
  return [{ title: "Not measured", body: `<ul>${skipped.map((text) => `<li>${escaped(text)}</li>`).join("")}</ul>` }];
}

function byHandOf({ byHand }: Report): readonly Chapter[] {
  if (byHand.length === 0) return [];
  const items = byHand.map(({ name, command: whole }) => {
    const { command, note } = commandAndNote(whole);
    return `<dt>${escaped(name)}</dt><dd><code>${escaped(command)}</code>${note ? `<p>${escaped(note)}</p>` : ""}</dd>`;
  });
  const when = "In the folder of this report, while <code>--keep</code> leaves everything running:";
  return [{ title: "By hand", body: `<p>${when}</p><dl>${items.join("")}</dl>` }];
}
