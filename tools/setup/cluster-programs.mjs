/**
 * What the tests' Kubernetes cluster (test/cluster) runs and no package of Debian brings: built from Go modules, once for each
 * version. They stay off PATH: another containerd is there, which belongs to Docker.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { built, builtBefore, builtFromGoModule } from "./built.mjs";
import { must } from "./commands.mjs";
import { goCommand, OLDEST_GO } from "./go.mjs";

const KUBERNETES = "1.36.3";
const CONTAINERD = "github.com/containerd/containerd/v2/cmd";
const CONTAINERD_VERSION = "v2.4.2";

const kubernetesModule = `k8s.io/kubernetes@v${KUBERNETES}`;
const kubernetes = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl"];
const modules = {
  containerd: `${CONTAINERD}/containerd@${CONTAINERD_VERSION}`,
  "containerd-shim-runc-v2": `${CONTAINERD}/containerd-shim-runc-v2@${CONTAINERD_VERSION}`,
  ctr: `${CONTAINERD}/ctr@${CONTAINERD_VERSION}`,
  coredns: "github.com/coredns/coredns@v1.15.0",
};

/** @returns {Promise<Record<string, string>>} the programs' files by name; what is not there is built, in some ten minutes */
export async function installClusterPrograms() {
  const files = {};
  for (const name of kubernetes) files[name] = builtBefore(name, kubernetesModule) ?? (await builtKubernetes(name));
  for (const [name, module] of Object.entries(modules))
    files[name] = builtBefore(name, module) ?? (await builtFromGoModule(name, module));
  return files;
}

async function builtKubernetes(name) {
  const go = await goCommand("building Kubernetes");
  const line = `building Kubernetes ${KUBERNETES} from its Go module (three to eight minutes, once)`;
  return built(name, kubernetesModule, line, (directory) => build(go, directory));
}

async function build(go, directory) {
  await writeFile(join(directory, "go.mod"), goMod);
  const imports = kubernetes.map((name) => `import _ "${packageOf(name)}"\n`);
  await writeFile(join(directory, "cluster.go"), ["package cluster\n\n", ...imports].join(""));
  const options = { cwd: directory };
  await must("kubernetes-build", "Resolving Kubernetes' Go modules", go, ["mod", "tidy"], options);
  const args = ["build", "-trimpath", "-o", "bin/", "-ldflags", flags, ...kubernetes.map(packageOf)];
  await must("kubernetes-build", "Building Kubernetes", go, args, options);
}

const packageOf = (name) => `k8s.io/kubernetes/cmd/${name}`;

/** Without them the cluster says it is of version 0.0, and clients take it for too old. */
const [major, minor] = KUBERNETES.split(".");
const version = {
  gitVersion: `v${KUBERNETES}`,
  gitMajor: major,
  gitMinor: minor,
  gitTreeState: "archive",
  buildDate: "1970-01-01T00:00:00Z",
};
const named = ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`;
const flags = ["-s -w", ...Object.entries(version).map(named)].join(" ");

/** Kubernetes' module requires these of version 0.0.0, as they lie beside it in its repository; https://pkg.go.dev/k8s.io/kubernetes */
const staging = `api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap
code-generator component-base component-helpers controller-manager cri-api cri-client cri-streaming csi-translation-lib
dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy kube-scheduler
kubectl kubelet metrics mount-utils pod-security-admission sample-apiserver sample-cli-plugin sample-controller streaming`;

const goMod = `module gatebench.invalid/cluster

go ${OLDEST_GO.join(".")}

require k8s.io/kubernetes v${KUBERNETES}

replace (
${staging
  .split(/\s+/)
  .map((name) => `\tk8s.io/${name} => k8s.io/${name} v0.${minor}.${KUBERNETES.split(".")[2]}\n`)
  .join("")})
`;
