import assert from "node:assert/strict";
import {
  manifestsOf,
  namespacesOf,
  referencesIn,
  serviceNamed,
  type ClusterDeployment,
  type GatewayAdapter,
  type Manifest,
} from "../contract";
import { declaredScenarios } from "./claims";
import type { GatewayLaw } from "./gateway-laws";
import { renderedFor, type Rendered } from "./rendered";

/** What holds for gateways that are charts and manifests; of others nothing is asked. */
export const clusterLaws: readonly GatewayLaw[] = [
  {
    name: "pins every chart to a version",
    check: (adapter) =>
      everyChart(adapter, ({ name, version, repository }) => {
        assert.match(version, /^\d+\.\d+\.\d+/, `${name} is another chart tomorrow`);
        assert.match(repository, /^(https|oci):\/\//, `${name} is nowhere to be had`);
      }),
  },
  {
    name: "names its charts and manifests once, each in a namespace that a chart is released in",
    check: (adapter) =>
      everyCluster(adapter, (deployment) => {
        assertOnce(deployment.charts.map(({ name }) => name));
        assertOnce(manifestsOf(deployment).map(identityOf));
        for (const manifest of manifestsOf(deployment)) {
          const { namespace } = metadataOf(manifest);
          assert.ok(
            namespacesOf(deployment).includes(namespace ?? ""),
            `${identityOf(manifest)} is in no such namespace`,
          );
        }
      }),
  },
  {
    name: "sends all that enters through a Service of its own, and orders no load balancer",
    check: (adapter) =>
      everyCluster(adapter, (deployment) => {
        assert.doesNotMatch(
          JSON.stringify(deployment),
          /"(LoadBalancer|NodePort)"/,
          "a Service goes out of the cluster",
        );
        const entered = serviceNamed(deployment.entry.host);
        assert.ok(entered, `${deployment.entry.host} is not a Service`);
        const own = servicesOf(deployment).map(({ namespace, name }) => `${namespace}/${name}`);
        assert.ok(own.includes(`${entered.namespace}/${entered.name}`), `${deployment.entry.host} is not its own`);
        for (const { name, services = [], values } of deployment.charts)
          if (services.length > 0)
            assert.match(
              JSON.stringify(values),
              /"type":"ClusterIP"/,
              `${name} leaves the type of its Service to its chart`,
            );
      }),
  },
  {
    name: "says where its values place its pods, the gateway's alone on the gateway's nodes",
    check: (adapter) =>
      everyCluster(adapter, ({ charts }) => {
        const placements = charts.flatMap(({ placement }) => placement ?? []);
        for (const { nodeSelector, tolerations, resources } of placements)
          assertOnce([nodeSelector, tolerations, resources]);
        assert.equal(placements.filter(({ pool }) => pool === "gateway").length, 1, "one chart is the gateway's");
      }),
  },
  {
    name: "refers in a cluster only to credentials and looked-up hosts",
    check: (adapter) =>
      everyCluster(adapter, (deployment) => {
        const names = referencesIn(JSON.stringify(deployment));
        for (const name of names)
          assert.doesNotMatch(name, /^(file\.|folder$|bind$|address\.)/, `${name} is of a container`);
      }),
  },
  {
    name: "keeps secrets in Secrets",
    check: (adapter) =>
      everyCluster(adapter, (deployment) => {
        const open = manifestsOf(deployment).filter(({ kind }) => kind !== "Secret");
        const names = referencesIn(JSON.stringify([deployment.charts, open]));
        for (const name of names) assert.match(name, /^ip\./, `${name} stands where everybody in the cluster reads it`);
      }),
  },
  {
    name: "asks at its entry's Service, on ports it was given, whether it is ready and what it counted",
    check: (adapter) =>
      everyCluster(adapter, ({ readiness, counters = [], metrics = [] }, { site }) => {
        const allocated = Object.values(site.ports);
        for (const { port } of [readiness, ...counters, ...metrics])
          assert.ok(allocated.includes(port), `port ${port} was not given to it`);
      }),
  },
];

function everyCluster(
  adapter: GatewayAdapter,
  check: (deployment: ClusterDeployment, rendered: Rendered) => void,
): void {
  for (const scenario of declaredScenarios(adapter)) {
    const rendered = renderedFor(adapter, scenario);
    if (rendered.deployment.kind === "cluster") check(rendered.deployment, rendered);
  }
}

function everyChart(adapter: GatewayAdapter, check: (chart: ClusterDeployment["charts"][number]) => void): void {
  everyCluster(adapter, ({ charts }) => charts.forEach(check));
}

const metadataOf = (manifest: Manifest) =>
  (manifest.metadata ?? {}) as { readonly name?: string; readonly namespace?: string };

function identityOf(manifest: Manifest): string {
  const { namespace = "", name = "" } = metadataOf(manifest);
  return `${String(manifest.kind)} ${namespace}/${name}`;
}

function servicesOf(deployment: ClusterDeployment) {
  const made = deployment.charts.flatMap(({ services = [], namespace }) =>
    services.map((name) => ({ namespace, name })),
  );
  const written = manifestsOf(deployment).filter(({ kind }) => kind === "Service");
  return [...made, ...written.map(metadataOf)];
}

function assertOnce(names: readonly string[]): void {
  for (const name of names) assert.match(name, /\S/, "something has no name");
  assert.equal(new Set(names).size, names.length, `${names.join(", ")}: a name stands twice`);
}
