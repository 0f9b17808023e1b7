import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultSchema, type Cell } from "@gatebench/core";
import { recordedCell } from "@gatebench/core/testing";
import { expand } from "../plan/expand";
import { Experiment } from "./experiment";
import { testedMatrix } from "../plan/tested-matrix";

const parent = mkdtempSync(join(tmpdir(), "gatebench-experiment-"));
afterAll(() => rmSync(parent, { recursive: true }));
let folders = 0;
const matrix = testedMatrix();
const expansion = expand(matrix);
const [direct, nginx, envoy] = expansion.cells.map(({ id }) => id) as [string, string, string];

const opened = () => new Experiment(join(parent, String(++folders)), "tested");
const cell = (id: string, changes: Partial<Cell> = {}) =>
  recordedCell({ id, benchmark: "local-1/wrk-plain", baseline: id === direct ? null : direct, ...changes });
const leftIn = (experiment: Experiment) => experiment.unfinished(expansion.cells).map(({ id }) => id);

test("what is kept is not measured again", () => {
  const experiment = opened();
  experiment.keepCell(nginx, 1, cell(nginx));
  expect(leftIn(new Experiment(experiment.results, "tested"))).toEqual([direct, envoy]);
});

test("a baseline that a later pass needed again stands beside the first, each with its own cells", () => {
  const experiment = opened();
  const later = { benchmark: "local-1/wrk-plain-pass-2" };
  [direct, nginx].forEach((id) => experiment.keepCell(id, 1, cell(id)));
  [direct, envoy].forEach((id) => experiment.keepCell(id, 2, cell(id, later)));
  const { cells } = experiment.result(expansion, matrix);
  expect(cells.map(({ id, benchmark }) => [id, benchmark])).toEqual([
    [direct, "local-1/wrk-plain"],
    [direct, "local-1/wrk-plain-pass-2"],
    [nginx, "local-1/wrk-plain"],
    [envoy, "local-1/wrk-plain-pass-2"],
  ]);
});

test("a pass that goes on writes its cells again, and they are the same", () => {
  const experiment = opened();
  [1, 1].forEach((pass) => experiment.keepCell(direct, pass, cell(direct)));
  expect(experiment.result(expansion, matrix).cells).toHaveLength(1);
});

test("the result is one of the schema, with what is left out of it", () => {
  const experiment = opened();
  experiment.keepCell(nginx, 1, cell(nginx));
  experiment.lane("local-1").keepFailed([{ id: envoy, reason: "it did not start" }]);
  const result = experiment.result(expansion, matrix);
  expect(resultSchema.safeParse(result).error?.issues).toBeUndefined();
  expect(result.skipped).toEqual([
    { gateway: "envoy", scenario: "plain", generator: "wrk", size: "1", reason: "it did not start" },
  ]);
});

test("what nobody asks for any more is left out, and stays in the folder", () => {
  const experiment = opened();
  experiment.keepCell("other", 1, cell("other"));
  expect(experiment.result(expansion, matrix).cells).toEqual([]);
  expect(readdirSync(join(experiment.path, "cells"))).toEqual(["other.json"]);
});

test("what failed is left alone until it is asked for, and then measured again", () => {
  const experiment = opened();
  const invalid = { rps: "invalid", p99Ms: "invalid", tlsTps: null, warnings: [] } as const;
  experiment.keepCell(direct, 1, cell(direct));
  experiment.keepCell(nginx, 1, cell(nginx, { verdict: invalid }));
  experiment.lane("local-1").keepFailed([{ id: envoy, reason: "it did not start" }]);
  expect(leftIn(experiment)).toEqual([]);
  experiment.retryFailed();
  expect(leftIn(experiment)).toEqual([nginx, envoy]);
  expect(readdirSync(join(experiment.path, "cells")).filter((name) => name.endsWith(".failed"))).toHaveLength(1);
});
