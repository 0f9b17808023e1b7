/** Which nodes a cluster shall have, as `--nodes` says. */
import { fault } from "../twin/shell.mjs";
import { poolNode } from "./node.mjs";

const POOLS = "gateway,upstream,generator,observer";
const TAINT = /^[^=:]+=?[^:]*:(NoSchedule|PreferNoSchedule|NoExecute)$/;
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** @param {string} [text]  Names with commas, or a JSON list of names and nodes. @returns {import("./node.mjs").Node[]} */
export function nodesIn(text = POOLS) {
  const nodes = listIn(text).map((node) => (typeof node === "string" ? poolNode(node) : node));
  for (const node of nodes) check(node);
  const names = nodes.map(({ name }) => name);
  if (new Set(names).size === names.length) return nodes;
  throw fault("cluster-nodes", `--nodes names a node twice: ${names.join(", ")}. Give each a name of its own.`);
}

function listIn(text) {
  if (!text.trim().startsWith("[")) return text.split(",").filter(Boolean);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault("cluster-nodes", `--nodes is no JSON list: ${error.message}. Write '["gateway",{"name":"other"}]'.`);
  }
}

function check({ name, taints = [] }) {
  if (!NAME.test(name ?? ""))
    throw fault("cluster-nodes", `a node cannot be named "${name}": a name is a DNS label such as "gateway".`);
  const wrong = taints.find((taint) => !TAINT.test(taint));
  if (wrong) throw fault("cluster-nodes", `node ${name} cannot have the taint "${wrong}": write key=value:NoSchedule.`);
}
