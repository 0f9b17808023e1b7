import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generators } from "@gatebench/generators";
import { gateways } from "@gatebench/gateways";
import { parse } from "yaml";
import { matrixJsonSchema } from "./json-schema";
import { presetNames } from "./preset";

const docs = readFileSync(join(__dirname, "..", "..", "..", "..", "docs", "matrix.md"), "utf8");

type Json = { readonly [key: string]: unknown };

/** Every key that a matrix may have, wherever. */
function keysIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { readonly properties?: Json };
  const own = Array.isArray(schema) ? [] : Object.keys(properties);
  return [...own, ...Object.values(schema).flatMap(keysIn), ...Object.values(properties).flatMap(keysIn)];
}

/** The tables and sentences alone. */
const mentioned = new Set([...docs.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text));

test.each([...new Set(keysIn(matrixJsonSchema()))])("docs/matrix.md says what %s is", (key) =>
  expect(mentioned).toContain(key),
);

test("docs/matrix.md names every preset", () => {
  for (const name of presetNames()) expect(mentioned).toContain(name);
});

test("names of allowed values stand in it", () => {
  const allowed = [...JSON.stringify(matrixJsonSchema()).matchAll(/"enum":(\[[^\]]*\])/g)].flatMap(
    ([, list]) => JSON.parse(list as string) as string[],
  );
  const said = docs.replace(/"/g, "");
  for (const name of new Set(allowed)) expect(said).toContain(name);
});

test("its YAML is YAML, of gateways and generators that there are", () => {
  const blocks = [...docs.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => parse(text as string) as Json);
  expect(blocks[0]).toEqual({ name: "nginx-and-envoy", gateways: ["nginx", "envoy"] });
  for (const { gateway, generator } of (blocks[1]?.exclude ?? []) as readonly Json[])
    expect([...Object.keys(gateways), ...Object.keys(generators)]).toContain(gateway ?? generator);
});
