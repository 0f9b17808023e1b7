/** Brings a cluster up: a control plane and its nodes, machines of one site of the twin's. */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { createMachine, until } from "../twin/machine.mjs";
import { write } from "../twin/file-system.mjs";
import { fault, run } from "../twin/shell.mjs";
import { createSite, takePrivateAddress } from "../twin/site.mjs";
import { podNetworkOf } from "./addresses.mjs";
import { identity, kubeconfig, writeCertificates } from "./certificates.mjs";
import { filesOf, writeCluster } from "./cluster-record.mjs";
import { controlPlane, controlPlaneReady } from "./control-plane.mjs";
import { giveImages, pauseImage } from "./images.mjs";
import { nodeMachine, nodeReady } from "./node.mjs";
import { allowWatchers } from "./watchers.mjs";

const READY_MS = 120_000;
const POLL_MS = 250;

/**
 * @param {string} state @param {{ nodes: import("./node.mjs").Node[], images: string[], programs: Record<string, string> }} wanted
 * @returns {Promise<import("./cluster-record.mjs").Cluster>} a cluster whose nodes are ready
 */
export async function startCluster(state, { nodes, images, programs }) {
  await mkdir(state, { recursive: true });
  await allowWatchers();
  const site = await createSite(state);
  const address = await takePrivateAddress(site);
  const places = [];
  for (const [index, node] of nodes.entries())
    places.push({ node, address: await takePrivateAddress(site), podNetwork: podNetworkOf(index), id: idOf(node) });
  const { kubeconfig: file, certificates } = filesOf(state);
  const cluster = { state, kubeconfig: file, kubectl: programs.kubectl, address, nodes: places.map(toRecord) };
  await writeCluster(cluster);
  const authority = await writeCertificates(certificates, address);
  const identities = identitiesFor(nodes);
  await write(file, kubeconfig({ address, authority, identity: identities.admin }), 0o600);
  const shared = { site, server: address, authority, certificates, identities, programs, places };
  const [, ...machines] = await Promise.all([
    createControlPlane(shared),
    ...places.map((place) => createNode(shared, place)),
  ]);
  await giveImages(machines, [pauseImage, ...images]);
  await nodesReady(cluster);
  return cluster;
}

const idOf = ({ name }) => `${name}-${randomBytes(4).toString("hex")}`;
const toRecord = ({ node, address, id }) => ({ name: node.name, address, id });

/** The groups and users that Kubernetes' own roles are bound to. */
const identitiesFor = (nodes) => ({
  admin: identity("admin", "system:masters"),
  "controller-manager": identity("system:kube-controller-manager"),
  scheduler: identity("system:kube-scheduler"),
  proxy: identity("system:kube-proxy"),
  ...Object.fromEntries(nodes.map(({ name }) => [`kubelet-${name}`, identity(`system:node:${name}`, "system:nodes")])),
});

const createControlPlane = ({ site, server, places, ...shared }) =>
  createMachine({
    site,
    id: idOf({ name: "control-plane" }),
    hostname: "control-plane",
    privateIp: server,
    routes: places.map(routeTo),
    ready: controlPlaneReady,
    furnish: controlPlane({ address: server, ...shared }),
  });

function createNode({ site, places, identities, ...shared }, place) {
  const { node, address, podNetwork, id } = place;
  const credentials = { kubelet: identities[`kubelet-${node.name}`], proxy: identities.proxy };
  return createMachine({
    site,
    id,
    hostname: node.name,
    privateIp: address,
    routes: places.filter((other) => other !== place).map(routeTo),
    ready: nodeReady,
    furnish: nodeMachine(node, { address, podNetwork, ...credentials, ...shared }),
  });
}

const routeTo = ({ podNetwork, address }) => [podNetwork, "via", address];

/** Ready, and free of the taint that each node has until it is. */
async function nodesReady(cluster) {
  let seen = "";
  const areReady = async () => {
    const list = await run(cluster.kubectl, "--kubeconfig", cluster.kubeconfig, "get", "nodes", "-o", "json");
    const notReady = unready(cluster, JSON.parse(list).items);
    seen = notReady.join(", ");
    return notReady.length === 0;
  };
  await until(areReady, READY_MS, () => notReadyFault(cluster, seen), POLL_MS);
}

function unready({ nodes }, items) {
  const isReady = ({ spec, status }) =>
    status.conditions.some(({ type, status }) => type === "Ready" && status === "True") &&
    !(spec.taints ?? []).some(({ key }) => key.startsWith("node.kubernetes.io/"));
  const ready = items.filter(isReady).map(({ metadata }) => metadata.name);
  return nodes.map(({ name }) => name).filter((name) => !ready.includes(name));
}

function notReadyFault({ state }, names) {
  const advice = `Look into ${state}/machines/*/root/var/log/*.log, then take it down.`;
  return fault("cluster-node", `not ready within ${READY_MS / 1000} s: ${names}. ${advice}`);
}
