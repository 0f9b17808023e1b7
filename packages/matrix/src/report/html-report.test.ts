import { exampleResult, manyCells } from "@gatebench/core/testing";
import { csvReport } from "./csv-report";
import { htmlReport } from "./html-report";
import { markdownOf } from "../markdown-report";
import { reportOf } from "./report-of";

const html = htmlReport(reportOf(exampleResult()));

test("the page asks nobody for anything, and nothing in a result becomes part of it", () => {
  expect(html.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
    /(src|href|xlink:href)="(?!#|data:)|url\(|@import|<script/,
  );
  expect(html).toContain("envoy cannot enforce jwt in scenario &quot;login&quot; &lt;as asked&gt;.");
});

test("every chart has a title and words, and its colours are the page's", () => {
  const charts = html.match(/<svg[\s\S]*?<\/svg>/g) ?? [];
  expect(charts.length).toBeGreaterThan(10);
  for (const chart of charts) {
    expect(chart).toMatch(/<title id="s\d+-title">[^<]{10,}<\/title>/);
    expect(chart).toMatch(/<desc id="s\d+-words">[^<]{10,}<\/desc>/);
    expect(chart).not.toMatch(/(fill|stroke)="(?!var\(|none|transparent)/);
    expect(chart).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test("identities are one of a kind, and each link leads somewhere", () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
});

/** CPU seconds, since on a busy machine the clock also counts what others do. */
function secondsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

test.each([
  [1_000, 6],
  [10_000, 10],
])(
  "%i cells are reported in all three forms in less than %i seconds",
  (count, limit) => {
    const result = manyCells(count);
    let rows = 0;
    const seconds = secondsOf(() => {
      const report = reportOf(result);
      const texts = [htmlReport(report), markdownOf(report), csvReport(result)];
      rows = (texts[2] as string).split("\r\n").length - 2;
      for (const text of texts) expect(text.length).toBeGreaterThan(100 * count);
    });
    expect(rows).toBe(count);
    expect(seconds).toBeLessThan(limit);
  },
  240_000,
);
