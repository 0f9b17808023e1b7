/**
 * A Kubernetes cluster for tests, by hand and as root.
 *
 *   node test/cluster/cluster.mjs up [--nodes gateway,upstream,generator,observer] [--images "nginx:1.30.4 node:22"]
 *   node test/cluster/cluster.mjs image NAME…        gives every node these images
 *   node test/cluster/cluster.mjs crds [NAME…]       istio, gateway-api, prometheus-operator; all, where none is named
 *   node test/cluster/cluster.mjs charts             where Istio's charts lie, as JSON
 *   node test/cluster/cluster.mjs run NODE COMMAND…  as the node's root
 *   node test/cluster/cluster.mjs kubectl ARGS…
 *   node test/cluster/cluster.mjs show
 *   node test/cluster/cluster.mjs down
 *
 * A node is a name, which has a pool of that name, or an object as node.mjs describes it; then --nodes is a JSON list.
 * What is made is written down in the folder GATEBENCH_CLUSTER_STATE names; "up" without it takes a new one.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clusterBinaries, installBinaries } from "../../tools/setup/binaries.mjs";
import { installClusterPrograms } from "../../tools/setup/cluster-programs.mjs";
import { locked } from "../../tools/setup/lock.mjs";
import { cache } from "../../tools/setup/paths.mjs";
import { imageFor } from "../twin/images.mjs";
import { onMachine } from "../twin/machine.mjs";
import { fault } from "../twin/shell.mjs";
import { clusterOf, nodeMachines, requireNone } from "./cluster-record.mjs";
import { giveCrds, istioCharts } from "./crds.mjs";
import { giveImages } from "./images.mjs";
import { nodesIn } from "./node-list.mjs";
import { startCluster } from "./start.mjs";
import { takeDown } from "./take-down.mjs";

const [command, ...args] = process.argv.slice(2);
const given = process.env.GATEBENCH_CLUSTER_STATE && resolve(process.env.GATEBENCH_CLUSTER_STATE);

function state() {
  if (given) return given;
  const advice = `Set it to what "up" printed as "state".`;
  throw fault("cluster-state", `GATEBENCH_CLUSTER_STATE must name the cluster's state folder. ${advice}`);
}

const options = { nodes: { type: "string" }, images: { type: "string", default: "" } };

async function up() {
  const { values } = parseArgs({ args, options });
  requireRoot();
  const nodes = nodesIn(values.nodes);
  const images = values.images.split(/\s+/).filter(Boolean);
  for (const name of images) imageFor(name);
  if (given) await requireNone(given);
  const programs = await locked(join(cache, "setup.lock"), prepared);
  const folder = given || mkdtempSync(join(tmpdir(), "gatebench-cluster-"));
  show(await startCluster(folder, { nodes, images, programs }).catch((error) => failed(error, folder)));
}

function requireRoot() {
  if (process.platform !== "linux")
    throw fault("cluster-platform", `a cluster runs on Linux, not ${process.platform}.`);
  if (process.getuid() !== 0)
    throw fault("cluster-root", "a cluster makes network namespaces, which takes root. Use sudo.");
}

async function prepared() {
  await installBinaries(clusterBinaries);
  return installClusterPrograms();
}

/** What has been made so far stays, to be looked at. */
function failed(error, folder) {
  error.message += ` Take it down: ${downOf(folder)}`;
  throw error;
}

const downOf = (folder) => `GATEBENCH_CLUSTER_STATE=${folder} node ${process.argv[1]} down`;

const show = (cluster) =>
  process.stdout.write(`${JSON.stringify({ ...cluster, down: downOf(cluster.state) }, undefined, 2)}\n`);

async function image() {
  await giveImages(await nodeMachines(await clusterOf(state())), args);
}

async function run() {
  const [name, ...words] = args;
  const cluster = await clusterOf(state());
  const node = (await nodeMachines(cluster)).find(({ hostname }) => hostname === name);
  const known = cluster.nodes.map(({ name }) => name).join(", ");
  if (!node) throw fault("cluster-node", `the cluster has no node "${name ?? ""}". It has: ${known}.`);
  process.stdout.write(await onMachine(node, ...words));
}

async function kubectl() {
  const { kubectl, kubeconfig } = await clusterOf(state());
  process.exitCode = spawnSync(kubectl, ["--kubeconfig", kubeconfig, ...args], { stdio: "inherit" }).status ?? 1;
}

const commands = {
  up,
  image,
  crds: async () => giveCrds(await clusterOf(state()), args),
  charts: async () => process.stdout.write(JSON.stringify(await istioCharts())),
  run,
  kubectl,
  show: async () => show(await clusterOf(state())),
  down: () => takeDown(state()),
};

async function main() {
  const chosen = commands[command];
  if (chosen) return chosen();
  throw fault("cluster-command", `the cluster knows ${Object.keys(commands).join(", ")}, not "${command ?? ""}".`);
}

/** Set-up's faults have their code apart. */
const said = ({ isFault, code, message, stack }) => (isFault ? `${code}: ${message}` : code ? message : stack);

await main().catch((error) => {
  process.stderr.write(`${said(error)}\n`);
  process.exitCode = 1;
});
