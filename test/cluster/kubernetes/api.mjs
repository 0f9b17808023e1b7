/** The API of a Kubernetes cluster, as far as the stand-in asks for it: objects of any kind, by their apiVersion and kind. */
import { Agent, request } from "node:https";
import { request as plainRequest } from "node:http";
import { URLSearchParams } from "node:url";

const REQUEST_MS = 30_000;
export const JSON_PATCH = "application/json-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml"; // JSON is YAML.

/** @typedef {{ apiVersion: string, kind: string, metadata: { name: string, namespace?: string, [more: string]: any }, [more: string]: any }} KubeObject */

/** What the API server refuses, in its words. */
export class ApiError extends Error {
  /** @param {any} status */
  constructor(status) {
    super(status.message);
    this.status = status;
    this.reason = status.reason;
    /** Of which kind the object is that the server speaks of. */
    this.about = status.details?.kind;
  }
}

export const isNotFound = (error) => error instanceof ApiError && error.reason === "NotFound";
export const isNoMatch = (error) => error.isNoMatch === true;

/** @param {import("./kubeconfig.mjs").Access} access */
export function openApi(access) {
  const agent = access.server.startsWith("https:") ? new Agent({ ...secured(access), keepAlive: true }) : undefined;
  const send = (method, path, body, type) => sent(access, agent, { method, path, body, type });
  const kinds = kindsOf(send);
  const at = async (object, query) => `${await kinds.path(object)}/${object.metadata.name}${queryOf(query)}`;
  return {
    /** The server's version; fails where nobody answers. */
    version: () => send("GET", "/version"),
    isNamespaced: async (apiVersion, kind) => (await kinds.kind(apiVersion, kind)).namespaced,
    isKnown: (apiVersion, kind) =>
      kinds.kind(apiVersion, kind).then(
        () => true,
        () => false,
      ),
    create: async (object, query) => send("POST", `${await kinds.path(object)}${queryOf(query)}`, object),
    apply: async (object, query) => send("PATCH", await at(object, query), object, APPLY_PATCH),
    patch: async (object, operations) => send("PATCH", await at(object), operations, JSON_PATCH),
    replace: async (object, query) => send("PUT", await at(object, query), object),
    get: async (object) => send("GET", await at(object)),
    list: async (object, query) => (await send("GET", `${await kinds.path(object)}${queryOf(query)}`)).items,
    remove: async (object, options) => send("DELETE", await at(object), { ...options, kind: "DeleteOptions" }),
  };
}

const secured = ({ ca, cert, key, insecure }) => ({ ca, cert, key, rejectUnauthorized: !insecure });

/** Which kinds there are; asked again for one that is missing, as its definition may have come in the meantime. */
function kindsOf(send) {
  const known = new Map();
  const kind = async (apiVersion, name) => {
    const found = known.get(apiVersion)?.find((one) => one.kind === name) ?? (await asked(apiVersion, name));
    if (found) return found;
    throw noMatch(apiVersion, name);
  };
  const asked = async (apiVersion, name) => {
    const list = await send("GET", folderOf(apiVersion)).catch((error) => {
      if (isNotFound(error)) return { resources: [] };
      throw error;
    });
    const resources = list.resources.filter((one) => !one.name.includes("/")); // pods/log is no kind.
    known.set(apiVersion, resources);
    return resources.find((one) => one.kind === name);
  };
  const path = async ({ apiVersion, kind: name, metadata }) => {
    const { name: plural, namespaced } = await kind(apiVersion, name);
    const place = namespaced ? `/namespaces/${metadata?.namespace ?? "default"}` : "";
    return `${folderOf(apiVersion)}${place}/${plural}`;
  };
  return { kind, path };
}

const folderOf = (apiVersion) => (apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`);
const noMatch = (apiVersion, kind) =>
  Object.assign(new Error(`no matches for kind "${kind}" in version "${apiVersion}"`), { isNoMatch: true });

function queryOf(query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

function sent({ server, token }, agent, { method, path, body, type = "application/json" }) {
  const headers = { accept: "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const text = body === undefined ? undefined : JSON.stringify(body);
  if (text !== undefined) Object.assign(headers, { "content-type": type, "content-length": Buffer.byteLength(text) });
  const ask = agent ? request : plainRequest;
  return new Promise((resolve, reject) => {
    const asking = ask(`${server}${path}`, { method, headers, agent, timeout: REQUEST_MS }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk)).on("error", reject);
      answer.on("end", () => settle(answer.statusCode, Buffer.concat(chunks).toString(), resolve, reject));
    });
    asking.on("timeout", () => asking.destroy(new Error(`${server} did not answer within ${REQUEST_MS / 1000} s`)));
    asking.on("error", reject);
    asking.end(text);
  });
}

function settle(code, text, resolve, reject) {
  if (code < 300) return resolve(JSON.parse(text));
  const said = `the API server answered ${code}: ${text.trim().slice(0, 500)}`;
  reject(new ApiError(statusIn(text) ?? { message: said, ...(code === 404 && { reason: "NotFound" }) }));
}

function statusIn(text) {
  try {
    const status = JSON.parse(text);
    return status.kind === "Status" ? status : undefined;
  } catch {
    return undefined;
  }
}
