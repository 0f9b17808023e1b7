import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { namespacesOf, placed, type Chart, type ClusterDeployment, type Manifest } from "../../contract";
import { substitute } from "../../contract/reference";
import type { NodePool } from "./cluster";
import { placedOn } from "./placement";

/** Where the charts of a deployment find their nodes, and what stands for its references. */
export interface ReleaseSite {
  readonly provider: k8s.Provider;
  /** Of the gateway: its pods alone stand there. */
  readonly pool: NodePool;
  /** For all others, so that they take nothing from what is measured. */
  readonly support: NodePool;
  readonly values: pulumi.Output<Readonly<Record<string, string>>>;
}

/** Everything of a deployment in its order: namespaces, what is there before, each chart after the one before it, manifests. */
export function releaseOf(
  owner: string,
  deployment: ClusterDeployment,
  site: ReleaseSite,
  opts: pulumi.ResourceOptions,
): readonly pulumi.Resource[] {
  const own = { ...opts, provider: site.provider, deleteBeforeReplace: true };
  const spaces = namespacesOf(deployment).map(
    (name) => new k8s.core.v1.Namespace(`${owner}-${name}`, { metadata: { name } }, own),
  );
  const { before = [], charts, manifests } = deployment;
  const first = inOrder(before, spaces, (manifest, dependsOn) => applied(owner, manifest, site, { ...own, dependsOn }));
  const released = inOrder(charts, first, (chart, dependsOn) => release(owner, chart, site, { ...own, dependsOn }));
  return inOrder(manifests, released, (manifest, dependsOn) => applied(owner, manifest, site, { ...own, dependsOn }));
}

/** Each depends on the one before it, and the first on all that were there. */
function inOrder<T>(
  items: readonly T[],
  after: readonly pulumi.Resource[],
  make: (item: T, after: pulumi.Resource[]) => pulumi.Resource,
): readonly pulumi.Resource[] {
  return items.reduce<readonly pulumi.Resource[]>((done, item) => [make(item, [...done])], after);
}

/** A control plane may take its time to become ready. */
const withinS = 600;

function release(owner: string, chart: Chart, site: ReleaseSite, opts: pulumi.CustomResourceOptions): pulumi.Resource {
  const pool = chart.placement?.pool === "support" ? site.support : site.pool;
  const { repository } = chart;
  const isRegistry = repository.startsWith("oci://");
  return new k8s.helm.v3.Release(
    `${owner}-${chart.name}`,
    {
      name: chart.name,
      chart: isRegistry ? `${repository}/${chart.chart}` : chart.chart,
      ...(isRegistry ? {} : { repositoryOpts: { repo: repository } }),
      version: chart.version,
      namespace: chart.namespace,
      values: placed(chart, placedOn(pool)),
      timeout: withinS,
      maxHistory: 1,
    },
    opts,
  );
}

type Maker = new (name: string, args: never, opts: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** Kinds of Kubernetes itself have classes of their own; all others are resources that a chart has defined. */
const builtIn: Readonly<Record<string, Maker>> = {
  "v1/Secret": k8s.core.v1.Secret,
  "v1/ConfigMap": k8s.core.v1.ConfigMap,
  "v1/Service": k8s.core.v1.Service,
  "discovery.k8s.io/v1/EndpointSlice": k8s.discovery.v1.EndpointSlice,
};

function applied(
  owner: string,
  manifest: Manifest,
  { values }: ReleaseSite,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const { apiVersion, kind, metadata } = manifest as unknown as Named;
  const make = builtIn[`${apiVersion}/${kind}`] ?? (k8s.apiextensions.CustomResource as unknown as Maker);
  return new make(`${owner}-${kind}-${metadata.name}`.toLowerCase(), filled(manifest, values) as never, opts);
}

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Only texts with a reference in them are outputs: all else is seen in a preview, and nothing more than they is secret. */
function filled(value: unknown, values: ReleaseSite["values"]): unknown {
  if (typeof value === "string")
    return value.includes("<gatebench:") ? values.apply((known) => substitute(value, known)) : value;
  if (Array.isArray(value)) return value.map((one) => filled(one, values));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, values)]));
}
