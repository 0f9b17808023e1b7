import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  drawingSite,
  manifestsOf,
  resolveScenario,
  type ClusterDeployment,
  type Deployment,
  type GatewayAdapter,
  type Scenario,
  type Workload,
} from "@gatebench/core/contract";
import { stringify } from "yaml";

/** What every gateway's golden files are rendered for, as far as it supports it. */
export const goldenScenarios: readonly Scenario[] = [
  { name: "plain" },
  {
    name: "key-auth-rate-limit",
    auth: "key",
    rateLimit: { requests: 100, per: "1s", scope: "gateway", store: "local" },
  },
  { name: "basic-auth", auth: "basic", consumers: 2 },
  { name: "https", scheme: "https" },
  { name: "hundred-routes", routes: 100, consumers: 100, auth: "key" },
  { name: "round-robin", balancing: "round-robin", upstream: { count: 2 } },
  { name: "least-connections", balancing: "least-connections", upstream: { count: 2 } },
];

/** The deployment of a scenario on invented addresses, with two workers. */
export function drawn(adapter: GatewayAdapter, scenario: Scenario): Deployment {
  const asked = resolveScenario(scenario);
  return adapter.render(asked, drawingSite(adapter, asked, 2));
}

/** The only workload of a deployment. */
export function onlyWorkload(deployment: Deployment): Workload {
  if (deployment.kind !== "containers" || deployment.workloads.length !== 1) throw new Error("not one workload");
  return deployment.workloads[0] as Workload;
}

/** A deployment of a cluster. */
export function onlyCluster(deployment: Deployment): ClusterDeployment {
  if (deployment.kind !== "cluster") throw new Error("not of a cluster");
  return deployment;
}

/** Charts with their values, then the manifests, as documents of one YAML text of the version that Kubernetes reads ("off" is a text). */
export function clusterText(deployment: ClusterDeployment): string {
  const options = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;
  return [...deployment.charts, ...manifestsOf(deployment)].map((one) => stringify(one, options)).join("---\n");
}

/** A file of the workload that a scenario is rendered to. */
export const textOf = (adapter: GatewayAdapter, file: string, scenario: Omit<Scenario, "name">): string =>
  onlyWorkload(drawn(adapter, { name: "drawn", ...scenario })).files?.[file] as string;

/**
 * The text stands word for word in `golden/`. A difference is either a mistake, or a change to what is measured: then
 * run the tests with UPDATE_GOLDEN=1 and say so in the changelog.
 */
export function expectGolden(folder: string, file: string, text: string): void {
  const path = join(folder, "golden", file);
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
}
