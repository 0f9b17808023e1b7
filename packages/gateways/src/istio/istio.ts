import {
  hostOf,
  type GatewayAdapter,
  type GatewaySite,
  type Manifest,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { requestsOf } from "../requests";
import { authorizerOf, type AuthorizerOptions } from "../envoy/external-auth";
import { authorizationPolicy } from "./authorization";
import { charts } from "./charts";
import { counters, figures, metricsPath } from "./counters";
import { envoyFilters } from "./envoy-filters";
import { image } from "./image";
import { labels, namespace, release } from "./names";
import { authorizer as authorizerEntry, balancing, listeners, routes, upstreams } from "./routing";
import { certificateSecret } from "./tls";

export interface IstioOptions {
  /** Of the three charts. Another version is another gateway: its results stand in a row of their own. */
  readonly version?: string;
  /** How it asks the authorizer, where a scenario has one. */
  readonly authorizer?: AuthorizerOptions;
}

/** Istio's ingress gateway with its control plane, in a cluster; no sidecars. */
export function istio({ version = image.version, authorizer = {} }: IstioOptions = {}): GatewayAdapter {
  return {
    name: "istio",
    version,
    ports: ["entry", "metrics", "ready"],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      auth: ["external"],
      credentials: ["header", "cookie"],
      rateLimit: [{ store: "local", scopes: ["gateway", "route", "client"], algorithm: "token bucket" }],
      analytics: false,
      balancing: ["round-robin", "least-connections"],
      routes: 100,
      consumers: 100,
    },
    render: (scenario, site) => ({
      kind: "cluster",
      charts: charts(version, scenario, site, authorizer),
      manifests: manifests(scenario, site),
      pods: { namespace, labels, container: "istio-proxy", versionCommand: ["pilot-agent", "version", "--short"] },
      readiness: { port: site.ports.ready as number, within: "120s", path: "/" },
      entry: { scheme: scenario.scheme, host: hostOf({ name: release, namespace }), port: site.ports.entry as number },
      counters: counters(site.ports),
      metrics: [{ port: site.ports.metrics as number, path: metricsPath, figures }],
      requests: requestsOf(scenario, site),
    }),
  };
}

/** What is referred to stands before what refers to it. */
const manifests = (scenario: ResolvedScenario, site: GatewaySite): readonly Manifest[] => [
  ...(site.certificate ? [certificateSecret(site.certificate)] : []),
  upstreams(site),
  balancing(scenario),
  ...(scenario.auth === "external"
    ? [authorizerEntry(authorizerOf("istio", scenario, site)), authorizationPolicy()]
    : []),
  ...envoyFilters(scenario, site),
  ...listeners(scenario, site),
  routes(scenario),
];
