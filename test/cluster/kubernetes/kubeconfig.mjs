/** Where the API server is and who we are to it: what a kubeconfig says. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";

/** @typedef {{ server: string, ca?: Buffer, cert?: Buffer, key?: Buffer, token?: string, insecure: boolean, text: string }} Access */

/**
 * A kubeconfig as the plug-in may be given one: its text (YAML or JSON), the path of a file, an object, or nothing, which means
 * what kubectl would take.
 * @param {string | object | undefined} given @param {{ context?: string, cluster?: string }} [chosen]
 * @returns {Access}
 */
export function accessOf(given, { context, cluster } = {}) {
  const { config, folder } = loaded(given ?? usual());
  const current = named(config.contexts, context ?? config["current-context"], "context");
  const place = named(config.clusters, cluster ?? current.cluster, "cluster");
  const user = named(config.users, current.user, "user");
  const bytes = (owner, name) => {
    if (owner[`${name}-data`]) return Buffer.from(owner[`${name}-data`], "base64");
    return owner[name] ? readFileSync(resolve(folder, owner[name])) : undefined;
  };
  return {
    server: place.server.replace(/\/$/, ""),
    ca: bytes(place, "certificate-authority"),
    insecure: place["insecure-skip-tls-verify"] === true,
    ...credentials(user, bytes, folder),
    text: JSON.stringify(portable(config, folder)),
  };
}

/** Which cluster it is, to tell whether another kubeconfig means another one; undefined when nobody can say. */
export function clusterOf(given, chosen) {
  try {
    return accessOf(given, chosen).server;
  } catch {
    return undefined;
  }
}

function credentials(user, bytes, folder) {
  const [cert, key] = [bytes(user, "client-certificate"), bytes(user, "client-key")];
  const token = user.token ?? (user.tokenFile && readFileSync(resolve(folder, user.tokenFile), "utf8").trim());
  if (token || (cert && key)) return { cert, key, token };
  throw new Error(
    "invalid kubeconfig: its user has neither a token nor a client certificate, and the stand-in of the kubernetes plug-in runs no exec plug-in",
  );
}

const usual = () => process.env.KUBECONFIG || join(homedir(), ".kube/config");

function loaded(given) {
  if (typeof given === "object") return { config: given, folder: process.cwd() };
  if (existsSync(given)) return { config: parse(readFileSync(given, "utf8")), folder: dirname(resolve(given)) };
  const config = parse(given);
  if (typeof config !== "object" || config === null)
    throw new Error(`invalid kubeconfig: ${given} is neither a file nor a kubeconfig`);
  return { config, folder: process.cwd() };
}

function named(entries = [], name, what) {
  const entry = entries.find((one) => one.name === name);
  if (entry) return entry[what];
  const names = entries.map((one) => one.name).join(", ") || "none";
  throw new Error(`invalid kubeconfig: it has no ${what} "${name}". It has: ${names}`);
}

/** With paths that hold from any folder: helm reads a copy. */
function portable(config, folder) {
  const paths = new Set(["certificate-authority", "client-certificate", "client-key", "tokenFile"]);
  return JSON.parse(JSON.stringify(config), (name, value) =>
    paths.has(name) && typeof value === "string" ? resolve(folder, value) : value,
  );
}
