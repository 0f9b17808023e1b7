import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lineOf, resultSchema } from "@gatebench/core";
import { recordedResult, recordedRun } from "@gatebench/core/testing";
import { jsonFileFaults, openResultsFolder, resultsFolderFaults, writeJsonFile } from "./results-folder";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "gatebench-results-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("looking whether results can be kept leaves nothing behind", () => {
  expect(resultsFolderFaults(join(folder, "a", "b"))).toEqual([]);
  expect(resultsFolderFaults(folder)).toEqual([]);
  expect(jsonFileFaults(join(folder, "a", "result.json"))).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a folder that cannot be had is said so in one line", () => {
  writeFileSync(join(folder, "file"), "");
  const path = join(folder, "file", "results");
  expect(resultsFolderFaults(path).map(lineOf)).toEqual([
    `results-folder: "${path}" cannot be used for results (ENOTDIR). Give a folder that can be read and written with --results.`,
  ]);
  expect(resultsFolderFaults("/proc/results")).toHaveLength(1);
  expect(jsonFileFaults(folder).map(lineOf)).toEqual([
    `results-folder: "${folder}" cannot be written (it is a folder). Give another file with --json.`,
  ]);
});

test("a run is kept the moment it is known, its artifacts beside it", () => {
  const job = join(folder, "job");
  mkdirSync(job);
  writeFileSync(join(job, "stdout"), "10 ok");
  const results = openResultsFolder(join(folder, "results"), new Date("2026-01-02T03:04:05.678Z"));
  expect(results.path).toBe(join(folder, "results", "2026-01-02T03-04-05-678Z"));
  results.keepRun("bench", recordedRun({ id: "abc", order: 7 }), job);
  results.keepRun("bench", recordedRun({ id: "def", order: 8 }), undefined);
  expect(readFileSync(join(results.path, "raw", "bench", "fake", "007-abc", "stdout"), "utf8")).toBe("10 ok");
  const lines = readFileSync(join(results.path, "runs.jsonl"), "utf8").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(["abc", "def"]);
});

test("the result is what its schema says, wherever it is written", () => {
  const results = openResultsFolder(folder, new Date());
  results.keepResult(recordedResult());
  const file = join(folder, "elsewhere", "result.json");
  writeJsonFile(file, recordedResult());
  for (const path of [join(results.path, "result.json"), file])
    expect(resultSchema.parse(JSON.parse(readFileSync(path, "utf8")))).toEqual(recordedResult());
  for (const form of ["html", "md", "csv"]) expect(existsSync(join(results.path, `report.${form}`))).toBe(true);
});
