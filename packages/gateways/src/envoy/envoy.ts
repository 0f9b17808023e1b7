import {
  addressOf,
  fileOf,
  type Certificate,
  type CounterPage,
  type GatewayAdapter,
  type GatewaySite,
  type Ports,
  type ResolvedScenario,
  type Workload,
} from "@gatebench/core/contract";
import { requestsOf } from "../requests";
import { filesWithSite } from "../site-references";
import { bootstrap } from "./bootstrap";
import type { AuthorizerOptions } from "./external-auth";
import { figures } from "./figures";
import { image } from "./image";

export interface EnvoyOptions {
  /** Version of the official image, without the "v". Another version is another gateway: its results stand in a row of their own. */
  readonly version?: string;
  /** How it asks the authorizer, where a scenario has one. */
  readonly authorizer?: AuthorizerOptions;
  /** Your own native configuration in place of ours. It is verified like ours before it is measured. */
  readonly configuration?: EnvoyFiles;
}

/**
 * Files by path, each as its whole text. What is not known while planning stands as a reference: `<gatebench:bind>`,
 * `<gatebench:port.entry>`, `<gatebench:port.admin>`, `<gatebench:upstream-1.host>`, `<gatebench:upstream-1.port>`,
 * `<gatebench:consumer-1.key>`, `<gatebench:file.certificate.pem>`. The README has an example.
 */
export type EnvoyFiles = { readonly "envoy.yaml": string } & Readonly<Record<string, string>>;

/** Envoy Proxy with a static configuration. */
export function envoy({ version = image.version, authorizer, configuration }: EnvoyOptions = {}): GatewayAdapter {
  return {
    name: "envoy",
    version,
    ports: ["entry", "admin"],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      auth: ["key", "basic", "external"],
      credentials: ["header", "cookie"],
      rateLimit: [{ store: "local", scopes: ["gateway", "route", "consumer", "client"], algorithm: "token bucket" }],
      analytics: false,
      balancing: ["round-robin", "least-connections"],
      routes: 1000,
      consumers: 1000,
    },
    render: (scenario, site) => ({
      kind: "containers",
      workloads: [workload(version, filesOf({ configuration, authorizer }, scenario, site), site)],
      entry: { scheme: scenario.scheme, host: addressOf("envoy"), port: site.ports.entry as number },
      counters: counters(site.ports),
      metrics: [{ port: site.ports.admin as number, path: "/stats/prometheus", figures }],
      requests: requestsOf(scenario, site),
    }),
  };
}

function workload(version: string, files: Readonly<Record<string, string>>, site: GatewaySite): Workload {
  return {
    name: "envoy",
    role: "gateway",
    image: image.of(version),
    versionCommand: ["envoy", "--version"],
    command: ["envoy", "-c", fileOf("envoy.yaml"), ...processOptions(site)],
    files,
    ports: site.ports,
    openFiles: 65_536,
    readiness: { port: site.ports.admin as number, path: "/ready" },
  };
}

const processOptions = ({ workers }: GatewaySite) => [
  "--concurrency",
  String(workers),
  // Its shared memory and socket would tie two Envoys on one host together.
  "--disable-hot-restart",
  "--log-level",
  "warning",
];

/** The certificate lies beside a configuration, whoever wrote it. */
const filesOf = ({ configuration: own, authorizer }: EnvoyOptions, scenario: ResolvedScenario, site: GatewaySite) => ({
  ...(own ? filesWithSite(own, site) : { "envoy.yaml": bootstrap(scenario, site, authorizer) }),
  ...(site.certificate ? pemFiles(site.certificate) : {}),
});

const pemFiles = ({ certificate, key }: Certificate) => ({ "certificate.pem": certificate, "key.pem": key });

/** The admin server counts under a name of its own, so reading the page adds nothing. */
function counters({ admin }: Ports): readonly CounterPage[] {
  const ofClass = (digit: number) => `^http\\.gateway\\.downstream_rq_${digit}xx: (\\d+)`;
  return [
    {
      port: admin as number,
      path: "/stats?filter=gateway",
      values: {
        requests: "^http\\.gateway\\.downstream_rq_total: (\\d+)",
        connections: "^http\\.gateway\\.downstream_cx_total: (\\d+)",
        handshakes: "^listener\\.gateway\\.ssl\\.handshake: (\\d+)",
        resumptions: "^listener\\.gateway\\.ssl\\.session_reused: (\\d+)",
      },
      statuses: Object.fromEntries([1, 2, 3, 4, 5].map((digit) => [`${digit}xx`, ofClass(digit)])),
    },
  ];
}
