/** The machine that everything runs on which decides: etcd, the API server, its controllers, the scheduler, and DNS. */
import { copyFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { write, writeBareFileSystem } from "../twin/file-system.mjs";
import { API_PORT, DOMAIN, POD_NETWORK, SERVICE_NETWORK } from "./addresses.mjs";
import { kubeconfig, tokenFile } from "./certificates.mjs";
import { addPrograms } from "./programs.mjs";

const start = join(dirname(fileURLToPath(import.meta.url)), "control-plane-start.sh");
const PROGRAMS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "coredns"];

/** A shell line, on the machine. */
export const controlPlaneReady = `curl -sk https://127.0.0.1:${API_PORT}/readyz | grep -qx ok`;

/**
 * @param {{ address: string, certificates: string, authority: string, programs: Record<string, string>,
 *   identities: Record<string, import("./certificates.mjs").Identity> }} cluster
 */
export const controlPlane = (cluster) => async (folder, machine) => {
  await writeBareFileSystem(folder, { ...machine, start });
  const etc = join(folder, "upper/etc/kubernetes");
  const { address, authority, identities } = cluster;
  await write(join(etc, "tokens.csv"), tokenFile(Object.values(identities)), 0o600);
  for (const [name, identity] of Object.entries(identities))
    await write(join(etc, `${name}.conf`), kubeconfig({ address, authority, identity }), 0o600);
  await write(join(etc, "Corefile"), corefile);
  await write(join(etc, "environment"), environment(address));
  for (const file of await readdir(cluster.certificates))
    await copyFile(join(cluster.certificates, file), join(etc, file));
  await addPrograms(folder, cluster.programs, PROGRAMS);
};

const environment = (address) => `ADDRESS=${address}
API_PORT=${API_PORT}
SERVICE_NETWORK=${SERVICE_NETWORK}
POD_NETWORK=${POD_NETWORK}
ISSUER=https://kubernetes.default.svc.${DOMAIN}
`;

/** Nothing is kept, so that a Service is known the moment it is there; other names are unknown at once, as no server is reached. */
const corefile = `${DOMAIN} in-addr.arpa ip6.arpa {
  errors
  kubernetes {
    kubeconfig /etc/kubernetes/admin.conf
    ttl 5
  }
}
. {
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`;
