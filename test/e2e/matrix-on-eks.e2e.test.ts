/** A matrix by its command on a cluster (eks-rig.ts): a lane on nodes of EKS, whose stand-in hands out a real cluster. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { resultSchema, type Result } from "@gatebench/core";
import { openEksStandIn, type EksStandIn } from "./eks-rig";

jest.setTimeout(400_000);

const images = ["node:22.12.0-bookworm-slim", "nicolaka/netshoot:v0.14", "nginx:1.30.4", "grafana/k6:1.8.1"];
const gatebench = join(__dirname, "..", "..", "packages/matrix/dist/bin.js");
const folder = mkdtempSync(join(tmpdir(), "gatebench-matrix-eks-"));
let eks: EksStandIn;

beforeAll(async () => void (eks = await openEksStandIn(["gateway", "upstream", "generator"], images)));
afterAll(async () => {
  await eks?.destroy();
  rmSync(folder, { recursive: true, force: true });
});

test("a gateway is measured on nodes of a cluster, beside the path without one, and the cluster is empty in the end", async () => {
  writeFileSync(
    join(folder, "matrix.yaml"),
    `name: nodes
gateways: [nginx]
generators: [k6]
loads: [{ connections: 4, duration: 2s }]
warmUp: 1s
repetitions: 1
budgetUsd: 10
topologies: [{ kind: eks, region: us-east-1, upstream: c5.large, generator: c5.large, sizes: [c5.large] }]
`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [gatebench, "matrix", "matrix.yaml"], {
    cwd: folder,
    env: { ...process.env, ...eks.env },
  });
  expect(stdout).toContain("results, after ");
  const result = JSON.parse(readFileSync(join(folder, "results", "nodes", "result.json"), "utf8")) as Result;
  expect(resultSchema.safeParse(result).error?.issues).toBeUndefined();
  expect(result.cells.map(({ gateway, topology, size }) => [gateway, topology, size.instanceType])).toEqual([
    ["direct", "eks", "c5.large"],
    ["nginx", "eks", "c5.large"],
  ]);
  expect(result.cells.map(({ rps }) => (rps ?? 0) > 20)).toEqual([true, true]);
  expect(await eks.cluster.kubectl(["get", "namespaces", "-o", "name"])).not.toContain("gatebench");
});
