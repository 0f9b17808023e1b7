/** Custom resource definitions and charts that their projects publish inside Go modules: real schemas, without the programs behind them. */
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must, output } from "../../tools/setup/commands.mjs";
import { goCommand } from "../../tools/setup/go.mjs";
import { fault } from "../twin/shell.mjs";

/** @type {Record<string, { module: string, files: string }>} Each a module with its version, and a file or folder in it. */
const sources = {
  istio: { module: "istio.io/api@v1.31.1", files: "kubernetes/customresourcedefinitions.gen.yaml" },
  // 1.7 asks for Go 1.27.
  "gateway-api": { module: "sigs.k8s.io/gateway-api@v1.5.1", files: "config/crd/standard" },
  "prometheus-operator": {
    module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    files: "example/prometheus-operator-crd",
  },
};

/** @param {import("./cluster-record.mjs").Cluster} cluster @param {readonly string[]} names  All, where none is named. */
export async function giveCrds({ kubectl, kubeconfig }, names) {
  for (const name of names.length > 0 ? names : Object.keys(sources)) {
    const files = (await filesOf(name)).flatMap((file) => ["--filename", file]);
    // On the server's side: a client would note the whole definition in an annotation, which is too small for these.
    const apply = ["--kubeconfig", kubeconfig, "apply", "--server-side", "--force-conflicts", ...files];
    await must("cluster-crds", `Giving the cluster the definitions of ${name}`, kubectl, apply);
  }
}

/** Istio's charts, as its own repository has them: newer than its last release, which no module proxy knows. */
const charts = {
  module: "istio.io/istio@v0.0.0-20260827124520-eed52ebb66ad",
  folders: { base: "base", istiod: "istio-control/istio-discovery", gateway: "gateway" },
};

/** @returns {Promise<Record<string, string>>} the folder of each chart, by its name */
export async function istioCharts() {
  const folder = join(await moduleFolder(charts.module), "manifests/charts");
  return Object.fromEntries(Object.entries(charts.folders).map(([name, path]) => [name, join(folder, path)]));
}

async function filesOf(name) {
  const source = sources[name];
  const known = Object.keys(sources).join(", ");
  if (!source) throw fault("cluster-crds", `there are no definitions "${name}" to be had. There are: ${known}.`);
  const path = join(await moduleFolder(source.module), source.files);
  if (path.endsWith(".yaml")) return [path];
  const files = await readdir(path);
  return files.filter((file) => file.endsWith(".yaml")).map((file) => join(path, file));
}

async function moduleFolder(module) {
  const go = await goCommand(`fetching ${module}`);
  const { stdout, stderr } = await output(go, ["mod", "download", "-json", module], { cwd: tmpdir() });
  const { Dir: folder, Error: error = stderr } = stdout ? JSON.parse(stdout) : {};
  if (folder) return folder;
  const advice = "Let this computer reach a Go module proxy (GOPROXY).";
  throw fault("cluster-crds", `the Go module ${module} cannot be had: ${error.trim().split("\n").at(-1)}. ${advice}`);
}
