import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv, { type ValidateFunction } from "ajv";
import { manifestsOf, type ClusterDeployment } from "@gatebench/core/contract";

/** What of a deployment its CRDs and its charts' values would refuse; a kind or a chart without a schema is refused, too. */
export function schemaFaults(folder: string, deployment: ClusterDeployment): readonly string[] {
  const kinds = schemasIn(folder, "manifests.json");
  const charts = schemasIn(folder, "values.json");
  return [
    ...manifestsOf(deployment).flatMap((one) => faultsOf(kinds, `${String(one.apiVersion)}/${String(one.kind)}`, one)),
    ...deployment.charts.flatMap(({ chart, values }) => faultsOf(charts, chart, values)),
  ];
}

type Schemas = Readonly<Record<string, ValidateFunction>>;

function schemasIn(folder: string, file: string): Schemas {
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  const { schemas } = JSON.parse(readFileSync(join(folder, "schema", file), "utf8")) as {
    readonly schemas: Readonly<Record<string, object>>;
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));
}

function faultsOf(schemas: Schemas, name: string, value: unknown): readonly string[] {
  const check = schemas[name];
  if (check === undefined) return [`${name} has no schema`];
  if (check(value)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${name}${instancePath} ${message ?? ""} ${JSON.stringify(params)}`,
  );
}
