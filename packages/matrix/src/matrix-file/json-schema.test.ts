import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import { parse } from "yaml";
import { matrixJsonSchema } from "./json-schema";
import { readMatrix } from "./read-matrix";

const root = join(__dirname, "..", "..", "..", "..");
const examples = join(root, "examples", "matrix");
const files = readdirSync(examples).filter((name) => /\.(yaml|ts)$/.test(name));
const validate = new Ajv2020({ strict: false }).compile(matrixJsonSchema());
const textOf = (name: string) => readFileSync(join(examples, name), "utf8");

test("the schema stands in its file as matrices are read now; `npm run schema` writes it", () => {
  const file = join(__dirname, "..", "..", "schemas", "matrix.v1.schema.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(matrixJsonSchema())));
});

describe.each(files)("the example %s", (name) => {
  test("is a matrix", async () => {
    expect((await readMatrix(join(examples, name))).gateways.length).toBeGreaterThan(0);
  });
  if (name.endsWith(".yaml")) {
    test("fits the schema that it names", () => {
      expect(textOf(name)).toMatch(
        /^# yaml-language-server: \$schema=.*packages\/matrix\/schemas\/matrix\.v1\.schema\.json$/m,
      );
      expect(validate(parse(textOf(name))) || validate.errors).toBe(true);
    });
  }
});

test.each<[why: string, matrix: unknown]>([
  ["a key nobody knows", { name: "x", gateways: ["nginx"], lods: [] }],
  ["no gateways", { name: "x" }],
  ["a number where a list stands", { name: "x", gateways: 5 }],
  ["a gateway that is a number", { name: "x", gateways: [5] }],
  ["no connections", { name: "x", gateways: ["nginx"], loads: [{ connections: 0 }] }],
  ["a duration without unit", { name: "x", gateways: ["nginx"], warmUp: "5" }],
  ["a topology that is none", { name: "x", gateways: ["nginx"], topologies: [{ kind: "moon" }] }],
  ["an empty list", { name: "x", gateways: [] }],
])("an editor marks %s", (_, matrix) => expect(validate(matrix)).toBe(false));

test.each<[why: string, matrix: unknown]>([
  ["a preset in place of gateways", { name: "x", preset: "tyk-on-ec2" }],
  ["a topology that its preset fills up", { name: "x", preset: "tyk-on-ec2", topologies: [{ kind: "ec2" }] }],
  ["everything that has a default left out", { name: "x", gateways: ["nginx"], loads: [{}] }],
])("an editor takes %s", (_, matrix) => expect(validate(matrix) || validate.errors).toBe(true));
