/** The report as people read it: in a browser, on a telephone, in the dark and on paper. */
/// <reference lib="dom" />
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import type { Cell, Figure } from "@gatebench/core";
import { exampleResult } from "@gatebench/core/testing";
import { readResult, writeReports } from "@gatebench/matrix";
import { contrasts, hiddenTexts, tooWide } from "./page-checks";

jest.setTimeout(180_000);

const repository = join(__dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "gatebench-reports-"));
const published = readResult(join(repository, "examples/published/nginx-ingress.yaml"));
const results = { example: exampleResult(), published: published.result };
const price = { usd: 1.428, source: "a price list", date: "2026-07-20" };
const priced = { pricePerHour: (type: string) => (type === "c7i.8xlarge" ? price : undefined) };
const names = Object.keys(results) as (keyof typeof results)[];

const quiet = [
  "disable-gpu",
  "disable-quic",
  "no-first-run",
  "disable-background-networking",
  "disable-component-update",
];
let browser: BrowserContext;
const asked: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  for (const name of names) {
    const out = join(folder, name);
    mkdirSync(out);
    writeReports(results[name], out, ["html", "svg"], name === "published" ? published.options : priced);
  }
  browser = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: pathOf("chromium"),
    args: [...quiet, "no-sandbox", "disable-sync"].map((flag) => `--${flag}`),
  });
  browser.on("request", (request) => void asked.push(request.url()));
  browser.on("console", (message) => void complaints.push(message.text()));
  browser.on("weberror", (error) => void complaints.push(error.error().message));
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Where Debian puts it, or whatever goes by that name. */
function pathOf(program: string): string {
  const paths = (process.env.PATH ?? "").split(":").map((path) => join(path, program));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${program} is not on PATH; "npm test" installs it.`);
  return found;
}

const urlOf = (name: string, file = "report.html") => pathToFileURL(join(folder, name, file)).href;

/** Opens a report; pictures are left where GATEBENCH_PICTURES says, to be looked at. */
async function opened(name: string, width: number, look: Parameters<Page["emulateMedia"]>[0] = {}): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia(look);
  await page.goto(urlOf(name));
  const { GATEBENCH_PICTURES: pictures } = process.env;
  const how = [name, width, ...Object.values(look ?? {})].join("-");
  if (pictures) await page.screenshot({ path: join(pictures, `${how}.png`), fullPage: true });
  return page;
}

test.each(names)("%s: the page asks for nothing but itself, and the browser complains of nothing", async (name) => {
  asked.length = complaints.length = 0;
  const page = await opened(name, 1280);
  await page.close();
  expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([urlOf(name)]);
  expect(complaints).toEqual([]);
});

test("a picture, a script or a style that a result smuggled in would be stopped", async () => {
  const page = await opened("example", 800);
  complaints.length = 0;
  await page.evaluate(() => {
    const image = document.createElement("img");
    image.src = "http://127.0.0.1:9/image.png";
    document.body.append(image);
  });
  await page.waitForTimeout(200);
  await page.close();
  expect(complaints.join()).toMatch(/Content Security Policy/);
});

const figureTexts = (cell: Cell, figure: Figure): readonly string[] => {
  const value = cell[figure];
  if (value === null) return [];
  return [figure === "p99Ms" ? value.toFixed(2) : Math.round(value).toLocaleString("en-US")];
};

test.each(names)(
  "%s: every figure, every verdict, every warning and every skipped cell is in the page",
  async (name) => {
    const page = await opened(name, 1280);
    const text = await page.evaluate(() => document.body.innerText);
    const { cells, skipped } = results[name];
    for (const cell of cells) {
      for (const figure of ["rps", "p99Ms", "tlsTps"] as const)
        for (const written of figureTexts(cell, figure)) expect(text).toContain(written);
      for (const { code, cap } of cell.verdict.warnings) if (cap !== "sound") expect(text).toContain(code);
    }
    for (const { reason } of skipped) expect(text).toContain(reason);
    const rows = await page.locator("tbody tr", { hasText: /sound|indicative|invalid/ }).count();
    expect(rows).toBeGreaterThanOrEqual(cells.length);
    await page.close();
  },
);

test.each(names)("%s: nothing has to be pushed sideways, on a telephone or a screen", async (name) => {
  for (const width of [320, 375, 768, 1024, 1280]) {
    const page = await opened(name, width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await page.evaluate(tooWide)).toEqual([]);
    await page.close();
  }
});

test("on a telephone each value has its name beside it, and charts can be read", async () => {
  const page = await opened("example", 375);
  const label = await page.evaluate(
    () => getComputedStyle(document.querySelector("tbody td") as Element, "::before").content,
  );
  expect(label).toBe('"asked"');
  const sizes = await page.evaluate(() =>
    [...document.querySelectorAll("svg")].map(
      (svg) => (12 * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width,
    ),
  );
  // CSS pixels of the letters in a chart.
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(9.5);
  await page.close();
});

test.each(["light", "dark"] as const)(
  "in %s there is contrast enough for every text (WCAG AA), in charts too",
  async (colorScheme) => {
    for (const name of names) {
      const page = await opened(name, 1280, { colorScheme });
      const found = await page.evaluate(contrasts);
      expect(found.length).toBeGreaterThan(20);
      expect(found.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(ground).toBe(colorScheme === "dark" ? "rgb(15, 20, 25)" : "rgb(255, 255, 255)");
      await page.close();
    }
  },
);

test("paper shows all that the screen shows, black on white even to who reads in the dark", async () => {
  for (const name of names) {
    const page = await opened(name, 1280, { colorScheme: "dark" });
    const onScreen = await page.evaluate(() => document.body.innerText);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.setViewportSize({ width: 680, height: 900 }); // A4 within its margins, at 96 dots an inch.
    expect(await page.evaluate(hiddenTexts)).toEqual([]);
    expect(await page.evaluate(tooWide)).toEqual([]);
    expect((await page.evaluate(() => document.body.innerText)).replace(/\s+/g, " ").length).toBeGreaterThanOrEqual(
      onScreen.replace(/\s+/g, " ").length,
    );
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
    if (process.env.GATEBENCH_PICTURES)
      await page.screenshot({ path: join(process.env.GATEBENCH_PICTURES, `${name}-print.png`), fullPage: true });
    await page.close();
  }
});

test.each(names)("%s: who cannot see a chart is told its title and what it shows", async (name) => {
  const page = await opened(name, 1280);
  const charts = page.getByRole("img");
  expect(await charts.count()).toBe(await page.locator("svg").count());
  expect(await charts.count()).toBeGreaterThan(1);
  for (const words of await page.evaluate(() =>
    [...document.querySelectorAll("svg")].map((svg) =>
      (svg.getAttribute("aria-labelledby") ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? ""),
    ),
  )) {
    expect(words).toHaveLength(2);
    for (const word of words) expect(word.length).toBeGreaterThan(10);
  }
  await page.close();
});

test("a chart as a file of its own is a picture", async () => {
  const page = await browser.newPage();
  await page.goto(urlOf("published", "chart-01-scaling-over-cpus.svg"));
  expect(await page.evaluate(() => document.documentElement.querySelectorAll("path").length)).toBeGreaterThan(10);
  expect(await page.evaluate(() => document.documentElement.querySelector("title")?.textContent)).toBe(
    "Requests per second over CPUs: plain, wrk",
  );
  await page.close();
});
