import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { recordedCell, recordedResult, recordedRun } from "../testing";
import { resultJsonSchema, resultSchema } from "./result";
import { warning } from "./warning";

const failed = recordedRun({
  id: "failed",
  order: 2,
  outcome: { failure: { code: "unparsed-output", message: "wrk: cut off", excerpt: "Running 2s" } },
});
const warned = warning("few-runs", "indicative", ["rps", "p99Ms"], { runs: 1, wanted: 5 });
const result = recordedResult([
  recordedCell({ id: "bench/direct", gateway: "direct", gatewayVersion: null, baseline: null, purpose: "ceiling" }),
  recordedCell({
    runs: [recordedRun(), failed],
    verdict: { rps: "indicative", p99Ms: "indicative", tlsTps: null, warnings: [warned] },
  }),
]);
const written = JSON.parse(JSON.stringify(result)) as typeof result;

test("a result survives its file", () => expect(resultSchema.parse(written)).toEqual(result));

const cell = written.cells[0] as (typeof written.cells)[0];
test.each<[string, unknown]>([
  ["of another schema", { ...written, schema: "gatebench/result/v2" }],
  ["with a key nobody knows", { ...written, comment: "fast!" }],
  ["without its seed", { ...written, seed: undefined }],
  ["with a date that is none", { ...written, startedAt: "yesterday" }],
  ["with a figure below zero", { ...written, cells: [{ ...cell, rps: -1 }] }],
  ["with a figure as text", { ...written, cells: [{ ...cell, rps: "1000" }] }],
  ["with a grade of its own", { ...written, cells: [{ ...cell, verdict: { ...cell.verdict, rps: "excellent" } }] }],
  ["with a load that has no model", { ...written, cells: [{ ...cell, load: { connections: 3 } }] }],
  [
    "with a run that neither failed nor did not",
    { ...written, cells: [{ ...cell, runs: [{ ...failed, outcome: {} }] }] },
  ],
  [
    "with a figure that is missing and has a value",
    {
      ...written,
      cells: [
        { ...cell, runs: [{ ...failed, figures: [{ name: "a", unit: "", query: "a", value: 1, missing: "b" }] }] },
      ],
    },
  ],
  ["with a duration without a unit", { ...written, cells: [{ ...cell, load: { ...cell.load, duration: "10" } }] }],
])("a result %s is refused", (_, broken) => expect(resultSchema.safeParse(broken).success).toBe(false));

describe("the JSON Schema", () => {
  const validate = addFormats(new Ajv({ strict: false })).compile(resultJsonSchema());

  test("stands in its file as results are made now; `npm run schema` writes it", () => {
    const file = join(__dirname, "..", "..", "schemas", "result.v1.schema.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(resultJsonSchema())));
  });

  test("accepts the same result", () => {
    expect(validate(written) || validate.errors).toBe(true);
  });

  test("refuses a broken one", () => {
    expect(validate({ ...written, comment: "fast!" })).toBe(false);
    expect(validate({ ...written, cells: [{ ...cell, rps: -1 }] })).toBe(false);
  });
});
