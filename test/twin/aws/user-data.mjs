/** What a machine does at its first start: a script as it stands, or a cloud-config made into one. */
import { createRequire } from "node:module";

const { parse } = createRequire(import.meta.url)("yaml");
const MAX_BYTES = 16_384;
const GZIP = "H4sI";

/** @param {{ userData?: string, userDataBase64?: string }} inputs @returns {string | undefined} a script to run as root */
export function userDataScript({ userData, userDataBase64 }) {
  const text = userData ?? (userDataBase64 === undefined ? undefined : decoded(userDataBase64));
  if (text === undefined) return undefined;
  if (Buffer.byteLength(text) > MAX_BYTES) throw new Error(`User data is limited to ${MAX_BYTES} bytes`);
  if (text.startsWith("#!")) return text;
  if (/^#cloud-config\s*\n/.test(text)) return cloudConfigScript(parse(text));
  throw new Error('cloud-init ignores user data that begins with neither "#!" nor "#cloud-config"');
}

function decoded(base64) {
  if (base64.startsWith(GZIP)) throw new Error("the twin reads no compressed user data: pass it as it is");
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64.replaceAll(/\s/g, "")) throw new Error("userDataBase64 is not base64");
  return bytes.toString("utf8");
}

/** In the order in which cloud-init does it. */
const parts = {
  bootcmd: (commands) => commands.map(line),
  write_files: (files) => files.flatMap(writeFile),
  packages: (names) => [`dnf install -y ${names.flat().map(quoted).join(" ")}`],
  runcmd: (commands) => commands.map(line),
};
/** Nothing on a machine of the twin depends on these. */
const IGNORED = ["package_update", "package_upgrade", "repo_update", "repo_upgrade", "timezone", "locale"];

function cloudConfigScript(config) {
  const unknown = Object.keys(config ?? {}).filter((name) => !(name in parts) && !IGNORED.includes(name));
  if (unknown.length > 0) {
    throw new Error(`the twin's cloud-config knows ${Object.keys(parts).join(", ")}, not ${unknown.join(", ")}`);
  }
  const lines = Object.entries(parts).flatMap(([name, lines]) => (config?.[name] ? lines(config[name]) : []));
  return ["#!/bin/sh", ...lines, ""].join("\n");
}

const line = (command) => (Array.isArray(command) ? command.map((word) => quoted(String(word))).join(" ") : command);

function writeFile({ path, content = "", permissions = "0644", owner = "root:root", encoding, append, ...unknown }) {
  const names = Object.keys(unknown);
  if (names.length > 0) throw new Error(`the twin's write_files knows no ${names.join(", ")}`);
  const bytes = /^(b64|base64)$/.test(encoding ?? "") ? content : Buffer.from(content).toString("base64");
  const file = quoted(path);
  return [
    `mkdir -p "$(dirname ${file})"`,
    `echo ${bytes} | base64 -d ${append ? ">>" : ">"} ${file}`,
    `chmod ${permissions} ${file}; chown ${owner} ${file}`,
  ];
}

const quoted = (word) => `'${String(word).replaceAll("'", `'\\''`)}'`;
