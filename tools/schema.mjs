/** Writes the JSON Schemas of results and matrix files from the schemas they are read with, as last built: `npm run schema`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { resultJsonSchema } = require("@gatebench/core/contract");
const { matrixJsonSchema } = require("@gatebench/matrix");

function write(folder, name, schema) {
  const url = new URL(`../packages/${folder}/schemas/`, import.meta.url);
  mkdirSync(url, { recursive: true });
  writeFileSync(new URL(name, url), `${JSON.stringify(schema, null, 2)}\n`);
}

write("core", "result.v1.schema.json", resultJsonSchema());
write("matrix", "matrix.v1.schema.json", matrixJsonSchema());
