import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterDeployment, Ports, SetupRequest, Workload } from "../../contract";
import { substitute, type Values } from "../../contract/reference";
import { AgentHost, type AgentOrder, type Archive, type Asked } from "../agent-host";
import type { AdoptOrder } from "../agent/adopted-workload";
import type { AwaitedAgent } from "../agent/awaited-agent";
import type { ClusterAddress } from "../agent/cluster-client";
import { hostValues, type WorkloadRecord } from "../agent/workload";
import { dependsOf } from "../depends-of";
import type { Forward, StartedWorkload, Surroundings } from "../host";
import { identityOf } from "../identity";
import type { ObservedHost } from "../job-record";
import { agentCommand } from "../local/agent-command";
import { localPlace } from "../local/local-place";
import { refuseFaults } from "../refuse-faults";
import type { Site } from "../site";
import { agentText } from "../ssh/agent-text";
import { wordOf } from "../ssh/remote-agent";
import { RemotePorts } from "../ssh/remote-ports";
import { mayReadPods, startAgent } from "./agent-resources";
import { kubeName, type Cluster, type NodePool } from "./cluster";
import { releaseOf } from "./cluster-release";
import { notAwaited, thereAtOnce } from "./placement";
import {
  argumentName,
  deploymentSpec,
  envKey,
  fileKey,
  podFaults,
  selectorOf,
  serviceSpec,
  shownArgv,
  valuedArguments,
  workFolder,
} from "./workload-manifests";

export interface KubernetesHostArgs {
  readonly site: Site;
  readonly cluster: Cluster;
  /** Whose node it is; of several, one. */
  readonly pool: NodePool;
  /** For what belongs to a gateway and is not to stand beside it, such as a control plane. Default: any node that takes it. */
  readonly support?: NodePool;
  /** Of a node, known while planning. */
  readonly cpus: number;
  readonly instanceType?: string;
  /** As results state it, and the first part of its name in the cluster. Default: the component's name. */
  readonly label?: string;
}

/**
 * One node of a Kubernetes cluster.
 *
 * Workloads are Deployments behind Services, tools are Jobs. An agent of our own on the node carries jobs out and tells
 * what the node does: a cut connection, a killed engine or a closed laptop ends none. Everything stands on the agent's
 * node, so that what a host uses is what was measured.
 */
export class KubernetesHost extends AgentHost {
  readonly name: string;
  readonly kind = "kubernetes";
  override readonly runs = ["containers", "cluster"] as const;
  readonly address: string;
  readonly cpus: number;
  readonly instanceType?: string;
  readonly identity: pulumi.Output<string>;
  readonly site: Site;
  protected readonly place: string;
  protected readonly opened: pulumi.Resource;
  protected readonly observed: ObservedHost;
  readonly #cluster: Cluster;
  readonly #pool: NodePool;
  readonly #support: NodePool;
  /** Kubernetes' name of the agent. */
  readonly #agent: string;
  readonly #ports = new RemotePorts();
  /** By each port the Service that leads to it, made when somebody is told of it or stands behind it. */
  readonly #services = new Map<number, Behind>();

  constructor(name: string, args: KubernetesHostArgs, opts?: pulumi.ComponentResourceOptions) {
    const { site, cluster, pool, support = { labels: {} }, cpus, instanceType, label = name } = args;
    super("gatebench:index:KubernetesHost", name, { cpus, pool: pool.labels, instanceType }, opts);
    this.name = label;
    this.cpus = cpus;
    if (instanceType !== undefined) this.instanceType = instanceType;
    this.site = site;
    this.place = wordOf(localPlace(name));
    this.#cluster = cluster;
    this.#pool = pool;
    this.#support = support;
    this.#agent = kubeName(`agent-${label}`);
    this.address = this.#inCluster(this.#agent);
    this.observed = { name: label, address: this.address, port: this.#ports.take("gatebench.observer") };
    const version = identityOf(agentText());
    const pod = { name: this.#agent, host: label, pool, port: this.observed.port, version };
    const opened = this.#open(name, version, startAgent(name, pod, cluster.namespace, this.#in));
    this.opened = opened;
    this.identity = opened.stdout.apply((text) => (JSON.parse(text) as { identity: string }).identity);
    this.registerOutputs({ identity: this.identity });
  }

  /** Each owner's are behind a Service of its own; what it asks for later is behind another one. */
  ports(owner: string, names: readonly string[]): Ports {
    const ports = Object.fromEntries(names.map((name) => [name, this.#ports.take(`${owner}.${name}`)]));
    const own = kubeName(`${this.name}-${owner}`);
    const isTaken = [...this.#services.values()].some(({ service }) => service === own);
    const behind = { service: isTaken ? kubeName(`${own}-${names.join("-")}`) : own, ports };
    for (const port of Object.values(ports)) this.#services.set(port, behind);
    return ports;
  }

  addressFor(port: number): string {
    const service = this.#serve(port);
    return service === undefined ? this.address : this.#inCluster(service);
  }

  /** @param kubeconfig  Its path, where kubectl does not find the cluster of itself. */
  tunnel(forwards: readonly Forward[], kubeconfig?: string): pulumi.Output<string> {
    const options = [
      ...(kubeconfig === undefined ? [] : [`--kubeconfig ${kubeconfig}`]),
      `--namespace ${this.#cluster.namespace}`,
    ];
    const each = forwards.map(
      ({ from, to }) => `kubectl ${options.join(" ")} port-forward service/${this.#serve(from)} ${to}:${from}`,
    );
    return pulumi.output(each.join(" & "));
  }

  override start(workload: Workload, surroundings: Surroundings, opts: pulumi.ResourceOptions): StartedWorkload {
    refuseFaults(podFaults(workload, this.name));
    const { owner, values, valuesId, siblings } = surroundings;
    const name = `${owner}-${workload.name}`;
    const address = this.addressFor(Object.values(workload.ports)[0] ?? 0);
    const identity = pulumi.all([this.identity, valuesId]).apply((known) => identityOf(workload, ...known));
    const after = [this.opened, ...siblings.map(({ resource }) => resource)];
    const own = { ...hostValues(workFolder, workload, everyAddress), ...addressesOf(siblings) };
    const filled = values.apply((given) => secretData(workload, { ...own, ...given }));
    const command = shownArgv(workload, own);
    const deployed = { workload, filled, command, identity };
    const deployment = this.#deploy(name, owner, deployed, { ...opts, dependsOn: after });
    const { image, versionCommand, readiness } = workload;
    const selector = selectorText(selectorOf(kubeName(owner), workload.name));
    const order = { place: this.place, name, selector, address, image, versionCommand, readiness };
    const adopted = this.#adopt(name, order, { identity, values }, { ...opts, dependsOn: deployment });
    return { workload, name, address, host: this, ...adopted };
  }

  override release(
    deployment: ClusterDeployment,
    { owner, values, valuesId }: Surroundings,
    opts: pulumi.ResourceOptions,
  ): StartedWorkload {
    const { pods, readiness, entry } = deployment;
    const identity = pulumi.all([this.identity, valuesId]).apply((known) => identityOf(deployment, ...known));
    const known = pulumi.all([values, this.#serviceAddresses]).apply(([given, own]) => ({ ...given, ...own }));
    const site = { provider: this.#cluster.provider, pool: this.#pool, support: this.#support, values: known };
    const released = releaseOf(owner, deployment, site, { ...opts, dependsOn: this.opened });
    const account = { name: this.#agent, namespace: this.#cluster.namespace };
    const inCluster = { ...opts, provider: site.provider, deleteBeforeReplace: true, dependsOn: [...released] };
    const seen = mayReadPods(account, `${owner}-pods`, pods.namespace, inCluster);
    const workload = { name: "gateway", role: "gateway", readiness } as const;
    const name = `${owner}-${workload.name}`;
    const selector = selectorText(pods.labels);
    const order = { place: this.place, name, address: entry.host, readiness, namespace: pods.namespace, selector };
    const adopted = this.#adopt(name, order, { identity, values }, { ...opts, dependsOn: [...released, seen] });
    return { workload, name, address: entry.host, host: this, ...adopted };
  }

  /** For where no name may stand. */
  get #serviceAddresses(): pulumi.Output<Values> {
    const all = [...this.#cluster.services].map(([name, address]) => [`ip.${this.#inCluster(name)}`, address]);
    return pulumi.all(Object.fromEntries(all) as Readonly<Record<string, pulumi.Output<string>>>);
  }

  override setUp(
    requests: readonly SetupRequest[],
    surroundings: Surroundings,
    opts: pulumi.ResourceOptions,
  ): pulumi.Resource {
    const reached = requests.map((request) => ({ ...request, host: this.addressFor(request.port) }));
    return super.setUp(reached, surroundings, opts);
  }

  protected archive(folder: string, paths: readonly string[]): pulumi.Output<Archive> {
    const command = ["send-artifacts", folder, JSON.stringify(paths)];
    return this.#clusterAddress.apply((cluster) => ({ cluster, command }));
  }

  protected ask(
    name: string,
    { verb, stdin, triggers, update, deleteVerb, mayBeDone }: AgentOrder,
    opts: pulumi.CustomResourceOptions,
  ): Asked {
    const about = verb === "run-job" ? "" : ` ${wordOf(name)}`;
    return agentCommand(
      name,
      {
        verb: `${asking(verb)} ${verb}${about}`,
        ...(update ? { update: `${asking(update)} ${update}${about}` } : {}),
        ...(deleteVerb ? { deleteVerb: `end-in-cluster ${deleteVerb}${about}` } : {}),
        ...{ stdin, triggers, mayBeDone },
        environment: { GATEBENCH_CLUSTER: pulumi.secret(pulumi.jsonStringify(this.#clusterAddress)) },
      },
      opts,
    );
  }

  get #clusterAddress(): pulumi.Output<ClusterAddress> {
    const { kubeconfig, namespace } = this.#cluster;
    return pulumi.output(kubeconfig).apply((text) => ({ kubeconfig: text, namespace, agent: this.#agent }));
  }

  #inCluster(service: string): string {
    return `${service}.${this.#cluster.namespace}.svc.cluster.local`;
  }

  #metadata(name: string): k8s.types.input.meta.v1.ObjectMeta {
    return { name, namespace: this.#cluster.namespace };
  }

  get #in(): pulumi.CustomResourceOptions {
    const { provider, ready } = this.#cluster;
    return { parent: this, provider, dependsOn: ready, deleteBeforeReplace: true };
  }

  /** Its agent made anew, the place is kept: what stood in its pod beside it begins again. */
  #open(name: string, version: string, after: pulumi.Resource): Asked {
    const observer = { host: "0.0.0.0", port: this.observed.port };
    const awaited: AwaitedAgent = { host: this.name, version, ...this.#pool };
    return this.ask(
      `${name}-place`,
      {
        verb: "open-place",
        update: "keep-place",
        deleteVerb: "close-place",
        stdin: JSON.stringify({ place: this.place, name, observer, awaited }),
        triggers: [this.#cluster.identity],
      },
      { parent: this, deleteBeforeReplace: true, dependsOn: after },
    );
  }

  #serve(port: number): string | undefined {
    const { service, ports = {} } = this.#services.get(port) ?? {};
    if (service === undefined || this.#cluster.services.has(service)) return service;
    const spec = serviceSpec(this.#agent, ports);
    // It leads nowhere until its workloads are there, which come after it.
    const metadata = { ...this.#metadata(service), annotations: notAwaited };
    const made = new k8s.core.v1.Service(service, { metadata, spec }, this.#in);
    this.#cluster.services.set(service, made.spec.clusterIP);
    return service;
  }

  #deploy(
    name: string,
    owner: string,
    { workload, filled, command, identity }: Deployed,
    opts: pulumi.ResourceOptions,
  ) {
    const metadata = this.#metadata(kubeName(`${this.name}-${name}`));
    const all = { ...opts, provider: this.#cluster.provider, deleteBeforeReplace: true };
    const files = new k8s.core.v1.Secret(name, { metadata, stringData: pulumi.secret(filled) }, all);
    for (const port of Object.values(workload.ports)) this.#serve(port);
    const stand = { owner: kubeName(owner), agent: this.#agent, pool: this.#pool, files: metadata.name as string };
    const spec = deploymentSpec(workload, { ...stand, identity, command });
    const started = { metadata: { ...metadata, annotations: thereAtOnce }, spec };
    return new k8s.apps.v1.Deployment(name, started, { ...all, dependsOn: [...dependsOf(opts), files] });
  }

  /** Puts its process on the agent's record, which tells what it uses, and asks for its version. */
  #adopt(
    name: string,
    order: Omit<AdoptOrder, "identity" | "values">,
    { identity, values }: { readonly identity: pulumi.Output<string>; readonly values: pulumi.Output<Values> },
    opts: pulumi.ResourceOptions,
  ): Pick<StartedWorkload, "identity" | "version" | "resource"> {
    const adopted = this.ask(
      `${name}-record`,
      {
        verb: "adopt-workload",
        deleteVerb: "stop-workload",
        stdin: pulumi.secret(
          pulumi
            .all([identity, values])
            .apply(([id, given]) => JSON.stringify({ ...order, identity: id, values: given })),
        ),
        triggers: [identity],
      },
      { ...opts, deleteBeforeReplace: true },
    );
    const record = adopted.stdout.apply((text) => JSON.parse(text) as WorkloadRecord);
    return {
      identity: record.apply((known) => known.identity),
      version: record.apply((known) => known.version),
      resource: adopted,
    };
  }
}

const selectorText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map((label) => label.join("="))
    .join(",");

/** What ports that were given together are reached by. */
interface Behind {
  readonly service: string;
  readonly ports: Ports;
}

interface Deployed {
  readonly workload: Workload;
  readonly command: readonly string[];
  /** Its Secret, every value in its place. */
  readonly filled: pulumi.Output<Record<string, string>>;
  readonly identity: pulumi.Output<string>;
}

const addressesOf = (siblings: readonly StartedWorkload[]): Readonly<Record<string, string>> =>
  Object.fromEntries(siblings.map(({ workload, address }) => [`address.${workload.name}`, address]));

/** Everything of a workload that may hold a value, by its key. */
function secretData(workload: Workload, values: Values): Record<string, string> {
  const { env = {}, files = {}, command } = workload;
  return Object.fromEntries(
    [
      ...Object.entries(files).map(([path, text]) => [fileKey(path), text] as const),
      ...Object.entries(env).map(([name, text]) => [envKey(name), text] as const),
      ...valuedArguments(workload).map((index) => [argumentName(index), command[index] as string] as const),
    ].map(([key, text]) => [key, substitute(text, values)]),
  );
}

/** Whoever opens a place waits for the agent; all else comes after. */
const asking = (verb: string): string => (/^(open|keep)-place$/.test(verb) ? "open-in-cluster" : "ask-cluster");

/** What a pod knows itself: its own folder, and every address. */
const everyAddress = "0.0.0.0";
