import type * as pulumi from "@pulumi/pulumi";
import { fault, type Fault, type Values } from "../../contract";
import { kubeName } from "../../hosts/kubernetes/cluster";
import { refuseFaults } from "../../hosts/refuse-faults";
import { openSite } from "../../hosts/site";
import { TopologyComponent } from "../topology-component";
import { byRole } from "../roles";
import { defaultNamespace, hostsOf, openCluster, poolFaults, type Pools } from "./pools";

export interface KubernetesTopologyArgs extends Pools {
  /** As a text. It must let `kubectl` in without asking anybody. Kept secret. */
  readonly kubeconfig: pulumi.Input<string>;
  /** Made and removed with the topology. Default: by project and stack. */
  readonly namespace?: string;
  /** Credentials of your own by reference name, such as "consumer-1.key". Default: made once and kept. */
  readonly credentials?: pulumi.Input<Values>;
}

/**
 * A cluster of your own, whoever runs it. Its nodes stay as they are; what is made stands in one namespace and goes with the
 * destroy, as does a folder below /var/lib/gatebench of each node that was used.
 *
 * Agents on the nodes see their processes and network: the namespace allows privileged pods.
 *
 * ### Cost
 * That of your cluster.
 */
export class KubernetesTopology extends TopologyComponent {
  readonly topology = "kubernetes";

  constructor(name: string, args: KubernetesTopologyArgs, opts?: pulumi.ComponentResourceOptions) {
    refuseFaults(kubernetesFaults(args));
    const { kubeconfig, namespace = defaultNamespace(), credentials: given } = args;
    super("gatebench:index:KubernetesTopology", name, described(args), opts);
    const cluster = openCluster(name, { kubeconfig, namespace }, this);
    this.standOn(hostsOf(name, args, cluster, openSite(this.topology, name, given, this), this));
    this.registerOutputs({});
  }
}

const described = (pools: Pools) =>
  Object.fromEntries(byRole(pools).map(([role, { cpus, instanceType }]) => [role, { cpus, instanceType }]));

/** What is wrong with a topology as a person wrote it; nobody is asked to find out. */
export function kubernetesFaults(args: Pools & Pick<KubernetesTopologyArgs, "namespace">): readonly Fault[] {
  const { namespace } = args;
  return [
    ...poolFaults(args),
    ...(namespace === undefined || kubeName(namespace) === namespace
      ? []
      : [
          fault(
            "invalid-option",
            `namespace "${namespace}" is none; write small letters, digits and hyphens, such as "${kubeName(namespace) || "gatebench"}".`,
          ),
        ]),
  ];
}
