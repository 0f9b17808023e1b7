/** Who is who in a cluster: certificates of its own authority for its servers, tokens for those who ask the API server. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../twin/shell.mjs";
import { API_PORT, API_SERVICE, DOMAIN } from "./addresses.mjs";

const DAYS = "3650";
const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
const names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", `kubernetes.default.svc.${DOMAIN}`];

/** @param {string} folder @param {string} address  The API server's. @returns {Promise<string>} the authority's certificate */
export async function writeCertificates(folder, address) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await run("openssl", "genrsa", "-out", join(folder, "service-account.key"), "2048");
  await certificate(folder, "ca", "/CN=gatebench-cluster", [
    ["basicConstraints", "critical,CA:TRUE"],
    ["keyUsage", "critical,keyCertSign,cRLSign,digitalSignature"],
  ]);
  const known = [...names.map((name) => `DNS:${name}`), ...[API_SERVICE, address, "127.0.0.1"].map((ip) => `IP:${ip}`)];
  await signed(folder, "apiserver", "/CN=kube-apiserver", [
    ["subjectAltName", known.join(",")],
    ["extendedKeyUsage", "serverAuth"],
  ]);
  await signed(folder, "kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client", [
    ["extendedKeyUsage", "clientAuth"],
  ]);
  return readFile(join(folder, "ca.crt"), "utf8");
}

function certificate(folder, name, subject, extensions, more = []) {
  const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
  const added = extensions.flatMap(([key, value]) => ["-addext", `${key}=${value}`]);
  return run("openssl", "req", "-x509", ...KEY, "-days", DAYS, "-subj", subject, ...files, ...added, ...more);
}

const signed = (folder, name, subject, extensions) =>
  certificate(
    folder,
    name,
    subject,
    [["basicConstraints", "critical,CA:FALSE"], ...extensions],
    ["-CA", join(folder, "ca.crt"), "-CAkey", join(folder, "ca.key")],
  );

/** @typedef {{ user: string, groups: string[], token: string }} Identity */

/** @returns {Identity} */
export const identity = (user, ...groups) => ({ user, groups, token: randomBytes(16).toString("hex") });

/** As kube-apiserver's --token-auth-file has them. @param {Identity[]} identities */
export const tokenFile = (identities) =>
  identities.map(({ user, groups, token }) => `${token},${user},${user},"${groups.join(",")}"\n`).join("");

/** JSON is YAML as well. @param {{ address: string, authority: string, identity: Identity }} access */
export function kubeconfig({ address, authority, identity: { user, token } }) {
  const data = Buffer.from(authority).toString("base64");
  const cluster = { server: `https://${address}:${API_PORT}`, "certificate-authority-data": data };
  const name = "gatebench";
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": name },
    clusters: [{ name, cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
