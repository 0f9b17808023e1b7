/** Releases of charts: Helm itself (tools/setup builds it from its Go module) carries them out. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { parse, parseAllDocuments, stringify } from "yaml";
import { cachedBinaries } from "../../../tools/setup/paths.mjs";
import { hasUnknown, UNKNOWN, unwrapped } from "../../../tools/pulumi/property-values.mjs";
import { ownName } from "./naming.mjs";

const DEFAULT_TIMEOUT_S = 300;

/** Inputs that are flags of Helm's. What is neither here nor among the others below is refused by name. */
const FLAGS = {
  atomic: "--atomic",
  createNamespace: "--create-namespace",
  disableOpenapiValidation: "--disable-openapi-validation",
  disableWebhooks: "--no-hooks",
  renderSubchartNotes: "--render-subchart-notes",
  skipCrds: "--skip-crds",
};
const INSTALL_FLAGS = { replace: "--replace" };
const UPGRADE_FLAGS = {
  cleanupOnFail: "--cleanup-on-fail",
  forceUpdate: "--force",
  resetValues: "--reset-values",
  reuseValues: "--reuse-values",
};
const OTHERS = [
  ...["chart", "compat", "description", "maxHistory", "name", "namespace", "repositoryOpts", "skipAwait", "timeout"],
  ...["values", "version", "waitForJobs"],
];
const CARRIED = [...OTHERS, ...Object.keys({ ...FLAGS, ...INSTALL_FLAGS, ...UPGRADE_FLAGS })];

export const idOf = ({ namespace, name }) => `${namespace}/${name}`;

/** Outputs a preview cannot know. */
export const unknownOutputs = (inputs) => ({ ...inputs, status: UNKNOWN, resourceNames: UNKNOWN });

/**
 * @param {any} given @param {any} had  The inputs of before. @param {string} name  Of the resource. @param {{ namespace: string }} cluster
 * @returns {Promise<{ inputs: any, faults: [string, string][] }>}
 */
export async function checked(given, had, name, { namespace }) {
  const waits = given.skipAwait ? {} : { timeout: DEFAULT_TIMEOUT_S };
  const inputs = { ...waits, name: had.name ?? ownName(name), namespace, ...given };
  const faults = Object.keys(given)
    .filter((property) => !CARRIED.includes(property))
    .map((property) => [
      property,
      `the stand-in of the kubernetes plug-in carries no "${property}" of a Release. It carries: ${CARRIED.join(", ")}`,
    ]);
  if (faults.length > 0 || hasUnknown(unwrapped(inputs))) return { inputs, faults };
  return withChart(inputs);
}

/** A version may be a constraint: the chart says which one it is. */
async function withChart(inputs) {
  try {
    const { version } = parse(await helm(["show", "chart", chartOf(unwrapped(inputs))]));
    return { inputs: { ...inputs, version }, faults: [] };
  } catch (error) {
    return { inputs, faults: [["chart", `${error.message}; check the chart name and repository configuration.`]] };
  }
}

/** A folder, or a chart's name: then GATEBENCH_CHARTS stands for all repositories, with a folder NAME@VERSION for each chart. */
function chartOf({ chart, version }) {
  if (existsSync(join(chart, "Chart.yaml"))) return chart;
  const charts = process.env.GATEBENCH_CHARTS;
  const advice = "Charts of repositories come from the folder that GATEBENCH_CHARTS names, NAME@VERSION for each";
  if (!charts)
    throw new Error(`chart "${chart}" is no folder with a Chart.yaml, and GATEBENCH_CHARTS is not set. ${advice}`);
  const found = readdirSync(charts).filter((one) => one.startsWith(`${basename(chart)}@`));
  const wanted = version ? `${basename(chart)}@${version}` : found.at(-1);
  if (found.includes(wanted)) return join(charts, wanted);
  const which = `chart "${chart}"${version ? ` version "${version}"` : ""}`;
  throw new Error(`${which} not found in ${charts}. There are: ${readdirSync(charts).join(", ") || "none"}. ${advice}`);
}

export const installed = (release, access) => deployed(release, access, "install", { ...FLAGS, ...INSTALL_FLAGS });
export const upgraded = (release, access) => deployed(release, access, "upgrade", { ...FLAGS, ...UPGRADE_FLAGS });

/** @returns {Promise<{ outputs: any, fault?: string }>} a fault when the release is there but not as it should be */
async function deployed(release, access, action, flags) {
  const { name, namespace, values = {} } = release;
  const args = [
    action,
    name,
    chartOf(release),
    "--namespace",
    namespace,
    "--values",
    "-",
    ...options(release, action, flags),
  ];
  try {
    await helm(args, access, stringify(values));
    return { outputs: await outputsOf(release, access) };
  } catch (error) {
    const outputs = isUnstarted(error) ? undefined : await outputsOf(release, access);
    if (!outputs) throw error;
    return { outputs, fault: error.message };
  }
}

/** Nothing of this release was done: what is there of its name is another's. */
const isUnstarted = ({ message }) => message.includes("cannot re-use a name");

function options(release, action, flags) {
  const { timeout = DEFAULT_TIMEOUT_S, skipAwait, waitForJobs, description, maxHistory } = release;
  const given = Object.entries(flags).filter(([name]) => release[name] === true && allowed(name, action));
  return [
    ...given.map(([, flag]) => flag),
    ...(skipAwait ? [] : ["--wait", "--timeout", `${timeout}s`]),
    ...(waitForJobs && !skipAwait ? ["--wait-for-jobs"] : []),
    ...(description ? ["--description", description] : []),
    ...(maxHistory !== undefined && action === "upgrade" ? ["--history-max", String(maxHistory)] : []),
  ];
}

/** `helm upgrade` knows this flag with --install only. */
const allowed = (name, action) => !(name === "createNamespace" && action === "upgrade");

/** What is known of a release that is there; undefined when there is none. */
export async function outputsOf({ name, namespace }, access) {
  try {
    const place = ["--namespace", namespace];
    const { info, version, chart, manifest } = JSON.parse(
      await helm(["status", name, ...place, "--output", "json"], access),
    );
    const { metadata = await metadataOf(name, place, access) } = chart ?? {};
    const status = { name, namespace, revision: version, status: info.status, chart: metadata.name };
    const { version: chartVersion, appVersion = "" } = metadata;
    return { status: { ...status, version: chartVersion, appVersion }, resourceNames: resourceNames(manifest) };
  } catch (error) {
    if (/release: not found/.test(error.message)) return undefined;
    throw error;
  }
}

async function metadataOf(name, place, access) {
  const { chart, version, appVersion } = JSON.parse(
    await helm(["get", "metadata", name, ...place, "--output", "json"], access),
  );
  return { name: chart, version, appVersion };
}

/** Deployment.apps/apps/v1: [namespace/name, …] */
function resourceNames(manifest) {
  const names = {};
  for (const document of parseAllDocuments(manifest)) {
    const object = document.toJS();
    if (!object?.kind) continue;
    const { name, namespace } = object.metadata;
    (names[`${object.kind}/${object.apiVersion}`] ??= []).push(namespace ? `${namespace}/${name}` : name);
  }
  return names;
}

export async function uninstalled({ name, namespace, timeout = DEFAULT_TIMEOUT_S, skipAwait }, access) {
  const wait = skipAwait ? [] : ["--wait", "--cascade", "foreground", "--timeout", `${timeout}s`];
  await helm(["uninstall", name, "--namespace", namespace, ...wait], access);
}

/** With a home of its own: what people's Helm has set up does not count. */
async function helm(args, access, stdin) {
  const folder = await mkdtemp(join(tmpdir(), "gatebench-helm-"));
  try {
    const config = join(folder, "kubeconfig");
    await writeFile(config, access?.text ?? "", { mode: 0o600 });
    const env = { PATH: process.env.PATH, HOME: folder, KUBECONFIG: config };
    return await ran(args, env, stdin);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ran(args, env, stdin = "") {
  const child = spawn(program(), args, { env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {}); // It may end without having read it all; then its exit code says why.
  child.stdin.end(stdin);
  const ended = new Promise((resolve) => child.on("error", resolve).on("close", resolve));
  const [stdout, stderr, outcome] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (outcome === 0) return stdout;
  if (outcome?.code === "ENOENT") throw new Error(`Helm is not installed: "npm test" builds it from its Go module`);
  throw new Error(reasonIn(stderr) || `helm ${args[0]} ended with exit code ${outcome}`);
}

const program = () => (existsSync(join(cachedBinaries, "helm")) ? join(cachedBinaries, "helm") : "helm");

const reasonIn = (stderr) => {
  const lines = stderr.trim().split("\n");
  const at = lines.findIndex((line) => line.startsWith("Error: "));
  return lines.slice(Math.max(at, 0)).join("\n").replace("Error: ", "");
};
