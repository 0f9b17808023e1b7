/** A node: a machine of the twin's with its own kubelet, containerd and kube-proxy, disk, network, processes and control groups. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install, write, writeBareFileSystem } from "../twin/file-system.mjs";
import { API_PORT, DOMAIN, POD_NETWORK } from "./addresses.mjs";
import { kubeconfig } from "./certificates.mjs";
import { pauseImage } from "./images.mjs";
import { addPrograms } from "./programs.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const PROGRAMS = ["kubelet", "kube-proxy", "containerd", "containerd-shim-runc-v2", "ctr"];

/** A shell line, on the machine: images can be imported. */
export const nodeReady = "ctr version > /dev/null 2>&1";

/**
 * @typedef {object} Node
 * @property {string} name
 * @property {Record<string, string>} [labels]
 * @property {string[]} [taints]  `key=value:Effect`
 * @property {string} [reservedCpu]  What pods cannot have of this computer's processors: `500m`.
 * @property {string} [reservedMemory]  `1Gi`
 * @property {string} [logSize]  What a container may write before its log is cut, with some 45 bytes for each line: `64Mi`.
 *   Kubernetes' own default is 10Mi.
 */

/** The node of one of the benchmark's pools. @param {string} pool @returns {Node} */
export const poolNode = (pool) => ({
  name: pool,
  labels: { "gatebench/pool": pool },
  taints: [`gatebench/pool=${pool}:NoSchedule`],
});

/**
 * @param {Node} node @param {{ address: string, server: string, podNetwork: string, authority: string,
 *   programs: Record<string, string>, kubelet: import("./certificates.mjs").Identity,
 *   proxy: import("./certificates.mjs").Identity }} place
 */
export const nodeMachine = (node, place) => async (folder, machine) => {
  await writeBareFileSystem(folder, { ...machine, start: join(here, "node-start.sh") });
  await install(join(here, "node-services.sh"), join(folder, "local/libexec/cluster/services"));
  const { address, server, authority, programs, kubelet, proxy } = place;
  const files = {
    "ca.crt": authority,
    "kubelet.conf": kubeconfig({ address: server, authority, identity: kubelet }),
    "kube-proxy.conf": kubeconfig({ address: server, authority, identity: proxy }),
    "kubelet.json": json(kubeletConfiguration(node, server)),
    "kube-proxy.json": json(proxyConfiguration(node)),
    "containerd.toml": containerdConfiguration,
    "cni/10-pods.conflist": json(podNetworkConfiguration(place.podNetwork)),
    environment: environment(node, address, server),
  };
  const etc = join(folder, "upper/etc/kubernetes");
  for (const [name, text] of Object.entries(files)) await write(join(etc, name), text, 0o600);
  await addPrograms(folder, programs, PROGRAMS);
};

const json = (value) => `${JSON.stringify(value, undefined, 2)}\n`;

const environment = ({ name, labels = {} }, address, server) => `NODE=${name}
ADDRESS=${address}
SERVER=https://${server}:${API_PORT}
LABELS=${Object.entries(labels)
  .map(([key, value]) => `${key}=${value}`)
  .join(",")}
`;

/** https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ */
const kubeletConfiguration = (
  { taints = [], reservedCpu = "0", reservedMemory = "0", logSize = "64Mi" },
  dnsServer,
) => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: "ca.crt" } },
  authorization: { mode: "Webhook" },
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  cgroupDriver: "cgroupfs",
  failCgroupV1: false,
  failSwapOn: false,
  clusterDomain: DOMAIN,
  clusterDNS: [dnsServer],
  registerWithTaints: taints.map(taint),
  systemReserved: { cpu: reservedCpu, memory: reservedMemory },
  containerLogMaxSize: logSize,
  // Root here may not make processes safer from the kernel's lack of memory than they are.
  oomScoreAdj: 0,
  // The disk is this computer's: how full it is, is no matter of pods.
  evictionHard: { "memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
  imageGCHighThresholdPercent: 100,
  // Files and Secrets that change reach pods sooner.
  syncFrequency: "10s",
  nodeStatusUpdateFrequency: "5s",
});

function taint(text) {
  const [, key, value, effect] = /^([^=:]+)=?([^:]*):(\w+)$/.exec(text) ?? [];
  return { key, value, effect };
}

/** https://kubernetes.io/docs/reference/config-api/kube-proxy-config.v1alpha1/ */
const proxyConfiguration = ({ name }) => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "iptables",
  clusterCIDR: POD_NETWORK,
  hostnameOverride: name,
  clientConnection: { kubeconfig: "kube-proxy.conf" },
  iptables: { minSyncPeriod: "100ms" },
  // Limits of the whole computer, which no node may set.
  conntrack: { maxPerCore: 0, min: 0 },
  oomScoreAdj: 0,
});

/** Routed, not bridged: a bridge would pass a Service's answers by the node's address translation. */
const podNetworkConfiguration = (network) => ({
  cniVersion: "1.0.0",
  name: "pods",
  plugins: [
    {
      type: "ptp",
      ipam: { type: "host-local", ranges: [[{ subnet: network }]], routes: [{ dst: "0.0.0.0/0" }] },
    },
    { type: "portmap", capabilities: { portMappings: true } },
  ],
});

const RUNTIME = "plugins.'io.containerd.cri.v1.runtime'";
const containerdConfiguration = `version = 3

[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '${pauseImage}'

[${RUNTIME}]
# Root here may not make processes safer from the kernel's lack of memory than they are.
restrict_oom_score_adj = true

[${RUNTIME}.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'

[${RUNTIME}.containerd.runtimes.runc.options]
SystemdCgroup = false

[${RUNTIME}.cni]
bin_dirs = ['/usr/lib/cni']
conf_dir = '/etc/kubernetes/cni'
`;
