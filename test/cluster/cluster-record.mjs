/** What a state folder tells of its cluster. */
import { join } from "node:path";
import { readRecord, writeRecord } from "../twin/folders.mjs";
import { machineOf } from "../twin/machine.mjs";
import { fault } from "../twin/shell.mjs";

/**
 * @typedef {object} Cluster
 * @property {string} state @property {string} kubeconfig  A file.
 * @property {string} kubectl  A program. @property {string} address  The API server's.
 * @property {{ name: string, address: string, id: string }[]} nodes  Ids are those of their machines.
 */

/** @param {Cluster} cluster */
export const writeCluster = (cluster) => writeRecord(cluster.state, cluster);

/** @param {string} state @returns {Promise<Cluster>} */
export async function clusterOf(state) {
  const cluster = await readRecord(state);
  if (cluster) return cluster;
  const advice = `GATEBENCH_CLUSTER_STATE names the folder; "up" starts one there.`;
  throw fault("cluster-absent", `no cluster is up in ${state}. ${advice}`);
}

/** @param {string} state */
export async function requireNone(state) {
  if (!(await readRecord(state))) return;
  throw fault("cluster-present", `${state} has a cluster already. Take it down first, or name another folder.`);
}

/** @param {Cluster} cluster */
export const nodeMachines = ({ state, nodes }) => Promise.all(nodes.map(({ id }) => machineOf(state, id)));

export const filesOf = (state) => ({
  kubeconfig: join(state, "kubeconfig.json"),
  certificates: join(state, "certificates"),
  record: join(state, "record.json"),
});
