import type { Chart, GatewaySite, ResolvedScenario } from "@gatebench/core/contract";
import type { AuthorizerOptions } from "../envoy/external-auth";
import { extensionProviders } from "./authorization";
import { image } from "./image";
import { labels, namespace, release, server, system } from "./names";
import { tlsDefaults } from "./tls";

/** In the order in which they need each other: a gateway's pod gets its proxy from a control plane that is there. */
export const charts = (
  version: string,
  scenario: ResolvedScenario,
  site: GatewaySite,
  authorizer: AuthorizerOptions,
): readonly Chart[] => [
  { ...published("base", version), name: "istio-base", namespace: system, values: { defaultRevision: "default" } },
  {
    ...published("istiod", version),
    name: "istiod",
    namespace: system,
    values: controlPlane(scenario, authorizer),
    placement: { pool: "support", ...placement },
  },
  {
    ...published("gateway", version),
    name: release,
    namespace,
    values: gateway(scenario, site),
    services: [release],
    placement: { pool: "gateway", ...placement },
  },
];

const published = (chart: string, version: string) => ({ chart, version, repository: image.charts });

/** Both charts with pods keep these at the top of their values. */
const placement = { nodeSelector: "nodeSelector", tolerations: "tolerations", resources: "resources" };

function controlPlane(scenario: ResolvedScenario, authorizer: AuthorizerOptions) {
  return {
    // One that stays one: a second would push the same configuration again during a run.
    autoscaleEnabled: false,
    replicaCount: 1,
    meshConfig: {
      // Off for every gateway: disk writes would be measured as latency.
      accessLogFile: "",
      // Off for every gateway: one request in a hundred would be traced by default.
      enableTracing: false,
      ...(scenario.auth === "external" ? { extensionProviders: extensionProviders(authorizer) } : {}),
      ...(scenario.scheme === "https" ? { tlsDefaults: tlsDefaults(scenario.tls) } : {}),
    },
  };
}

function gateway({ auth }: ResolvedScenario, { ports, workers }: GatewaySite) {
  return {
    replicaCount: 1,
    // By default a second pod comes at 80 % of its CPU: a run would be of two sizes.
    autoscaling: { enabled: false },
    // By default 2 CPUs and 1 GiB, whatever the node has. Where there is to be a limit, the host says so.
    resources: { limits: { cpu: null, memory: null } },
    labels,
    podAnnotations: { "proxy.istio.io/config": JSON.stringify(proxyConfig(workers, auth === "external")) },
    service: {
      // Reached inside the cluster only, from the client's node straight to the pod: no load balancer, no second node.
      type: "ClusterIP",
      ports: [
        { name: "entry", port: ports.entry, targetPort: ports.entry, protocol: "TCP" },
        { name: "metrics", port: ports.metrics, targetPort: 15_020, protocol: "TCP" },
        { name: "ready", port: ports.ready, targetPort: ports.ready, protocol: "TCP" },
      ],
    },
  };
}

function proxyConfig(concurrency: number, authorizes: boolean) {
  return {
    concurrency,
    // The upstream sees the client's own headers and none of the gateway's, from every gateway.
    proxyHeaders: {
      requestId: { disabled: true },
      attemptCount: { disabled: true },
      envoyDebugHeaders: { disabled: true },
      metadataExchangeHeaders: { mode: "IN_MESH" },
    },
    // Istio leaves out most of Envoy's statistics: these are what is counted.
    proxyStatsMatcher: {
      inclusionPrefixes: [`http.${server}.`, "listener.0.0.0.0_"],
      ...(authorizes ? { inclusionRegexps: [".*ext_authz.*"] } : {}),
    },
  };
}
