import {
  hostOf,
  type CounterPage,
  type GatewayAdapter,
  type GatewaySite,
  type Manifest,
  type Ports,
  type QueriedFigure,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { requestsOf } from "../requests";
import { chart } from "./chart";
import { image } from "./image";
import { namespace, readyPath, release, service } from "./names";
import { subscriptionSecrets } from "./plus";
import { policies } from "./policies";
import { endpoints } from "./upstreams";
import { certificate, virtualServer } from "./virtual-server";

export interface NginxIngressControllerOptions {
  /** Tag of the image. Another version is another gateway: its results stand in a row of their own. */
  readonly version?: string;
  /** Of the chart that goes with that version. */
  readonly chartVersion?: string;
  /**
   * NGINX Plus in place of NGINX Open Source. Licence and registry are credentials of the topology: "gateway.licence" (the
   * JWT) and "gateway.registry" (`{"auths":{"private-registry.nginx.com":{"auth":"…"}}}`). It reports its use to F5.
   * @default false
   */
  readonly plus?: boolean;
  /**
   * Connections that each worker may have open, to clients and upstreams together. The controller's own default of 1,024
   * would turn away what other gateways carry.
   * @default 16384
   */
  readonly connections?: number;
}

/** F5 NGINX Ingress Controller, the open-source edition, in a cluster. */
export function nginxIngressController(options: NginxIngressControllerOptions = {}): GatewayAdapter {
  const { version = image.version, chartVersion = image.chart, plus = false, connections = 16_384 } = options;
  const product = { version, chartVersion, plus, connections };
  return {
    name: "nginx-ingress-controller",
    version,
    ports: ["entry", "metrics"],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      auth: ["key", "basic"],
      credentials: ["header"],
      rateLimit: [{ store: "local", scopes: ["gateway", "route", "consumer", "client"], algorithm: "leaky bucket" }],
      analytics: false,
      balancing: ["round-robin", "least-connections"],
      onePort: true,
      routes: 100,
      consumers: 100,
    },
    render: (scenario, site) => ({
      kind: "cluster",
      ...(plus ? { before: subscriptionSecrets() } : {}),
      charts: [chart(product, scenario, site)],
      manifests: manifests(scenario, site),
      pods: { namespace, labels, container: "nginx-ingress", versionCommand: ["/nginx-ingress", "-version"] },
      readiness: { port: site.ports.entry as number, path: readyPath, scheme: scenario.scheme, within: "120s" },
      entry: { scheme: scenario.scheme, host: hostOf({ name: service, namespace }), port: site.ports.entry as number },
      ...(plus ? {} : { counters: counters(site.ports) }),
      metrics: [{ port: site.ports.metrics as number, path: "/metrics", figures: figures(plus) }],
      requests: requestsOf(scenario, site),
    }),
  };
}

/** As the chart labels its pods. */
const labels = { "app.kubernetes.io/name": "nginx-ingress", "app.kubernetes.io/instance": release };

/** What is referred to stands before what refers to it. */
const manifests = (scenario: ResolvedScenario, site: GatewaySite): readonly Manifest[] => [
  ...(site.certificate ? [certificate(site.certificate)] : []),
  ...policies(scenario, site),
  ...endpoints(site),
  virtualServer(scenario, site),
];

/**
 * Each reading makes the controller ask its nginx for the counts, over a connection that stays: one request, counted like
 * any other. Of NGINX Plus it asks much more than that, and how much is not known: its counts are not taken.
 */
const counters = ({ metrics }: Ports): readonly CounterPage[] => [
  {
    port: metrics as number,
    path: "/metrics",
    adds: { requests: 1, connections: 0 },
    values: { requests: metric("http_requests_total"), connections: metric("connections_accepted") },
  },
];

/** Prometheus writes numbers from a million on as 1.234567e+06. */
const metric = (name: string) => `^nginx_ingress_nginx_${name}\\{[^}\\n]*\\} ([\\d.e+]+)$`;

/** Scrapes are in these counts, one request each. */
const figures = (plus: boolean): readonly QueriedFigure[] => {
  const query = `nginx_ingress_${plus ? "nginxplus" : "nginx"}_http_requests_total{$gateway}`;
  return [
    { name: "gateway-requests", unit: "requests", kind: "counter", query },
    { name: "gateway-rps", unit: "requests/s", kind: "counter", perSecond: true, query },
  ];
};
