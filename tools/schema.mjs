/** Writes the JSON Schema of results from the schema that results are made with, as it was last built: `npm run schema`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { resultJsonSchema } = createRequire(import.meta.url)("@gatebench/core/contract");

const folder = new URL("../packages/core/schemas/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("result.v1.schema.json", folder), `${JSON.stringify(resultJsonSchema(), null, 2)}\n`);
