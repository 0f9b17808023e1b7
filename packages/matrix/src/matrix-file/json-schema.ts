import { z } from "zod";
import { matrixFileSchema } from "./matrix-file";

export const matrixSchemaName = "gatebench/matrix/v1";

type Json = Record<string, unknown>;

/** What editors check a matrix file with while it is written; the command checks more. */
export function matrixJsonSchema(): Json {
  const schema = z.toJSONSchema(matrixFileSchema, { io: "input", unrepresentable: "any", override: adapted }) as Json;
  return {
    ...{ $id: matrixSchemaName, title: "gatebench matrix" },
    ...schema,
    required: ["name"],
    // What a preset says need not be said again.
    anyOf: [{ required: ["preset"] }, { required: ["gateways"] }],
  };
}

/** Texts have no adapters in them; defaults are told in words; a topology may be filled up from a preset. */
function adapted({ jsonSchema }: { readonly jsonSchema: Json }): void {
  const { anyOf, properties } = jsonSchema;
  if (Array.isArray(anyOf)) jsonSchema.anyOf = anyOf.filter((branch: Json) => Object.keys(branch).length > 0);
  if (isTopology(properties)) jsonSchema.required = ["kind"];
  if ("default" in jsonSchema && typeof jsonSchema.default === "object") delete jsonSchema.default;
}

const isTopology = (properties: unknown): boolean => typeof properties === "object" && "kind" in (properties as object);
