import {
  addressOf,
  fileOf,
  folder,
  type Certificate,
  type CounterPage,
  type GatewayAdapter,
  type GatewaySite,
  type Ports,
  type ResolvedScenario,
  type Workload,
} from "@gatebench/core/contract";
import { redis } from "../redis";
import { redisImage } from "../redis-image";
import { requestsOf } from "../requests";
import { withSite } from "../site-references";
import { declarative } from "./declarative";
import { image } from "./image";
import { kongConf } from "./kong-conf";

export interface KongOptions {
  /** Tag of the official image. Another version is another gateway: its results stand in a row of their own. */
  readonly version?: string;
  /** Tag of the official Redis image, which is started where a scenario's limit is kept in Redis. */
  readonly redisVersion?: string;
  /** Your own native configuration in place of ours. It is verified like ours before it is measured. */
  readonly configuration?: KongConfiguration;
}

/**
 * Kong's own files, each as its whole text. What is not known while planning stands as a reference: `<gatebench:bind>`,
 * `<gatebench:port.entry>`, `<gatebench:port.status>`, `<gatebench:workers>`, `<gatebench:upstream-1>`,
 * `<gatebench:consumer-1.key>`, `<gatebench:file.kong.yaml>`. The README has an example.
 */
export interface KongConfiguration {
  /** The kong.conf. It must listen on both ports and name the declarative file. */
  readonly conf?: string;
  /** The declarative file, YAML or JSON. It must serve the scenario's requests: `/route-1/` and so on, prefix stripped. */
  readonly declarative?: string;
}

const scopes = ["gateway", "route", "consumer", "client"] as const;

/** Kong Gateway, the open-source edition, without a database. */
export function kong(options: KongOptions = {}): GatewayAdapter {
  const { version = image.version, redisVersion = redisImage.version, configuration = {} } = options;
  return {
    name: "kong",
    version,
    ports: ["entry", "status", "redis"],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      auth: ["key", "basic"],
      credentials: ["header"],
      rateLimit: [
        { store: "local", scopes, algorithm: "fixed window" },
        { store: "redis", scopes, algorithm: "fixed window" },
      ],
      analytics: false,
      balancing: ["round-robin", "least-connections"],
      routes: 1000,
      consumers: 1000,
    },
    render: (scenario, site) => ({
      kind: "containers",
      workloads: [
        ...(scenario.rateLimit?.store === "redis" ? [redis(redisVersion, site.ports.redis as number)] : []),
        workload(version, configurationFiles(configuration, scenario, site), site),
      ],
      entry: { scheme: scenario.scheme, host: addressOf("kong"), port: site.ports.entry as number },
      counters: counters(site.ports),
      requests: requestsOf(scenario, site),
    }),
  };
}

function workload(
  version: string,
  files: Readonly<Record<string, string>>,
  { ports, certificate }: GatewaySite,
): Workload {
  return {
    name: "kong",
    role: "gateway",
    image: image.of(version),
    versionCommand: ["kong", "version"],
    command: ["sh", "-c", start, "kong", fileOf("kong.conf"), folder],
    programs: ["kong", nginx],
    files: { ...files, ...(certificate ? pemFiles(certificate) : {}) },
    ports: { entry: ports.entry as number, status: ports.status as number },
    openFiles: 65_536,
    // Says yes once every worker has built its routes and plugins.
    readiness: { port: ports.status as number, path: "/status/ready", within: "60s" },
  };
}

/** The nginx that Kong's packages and image bring. */
const nginx = "/usr/local/openresty/nginx/sbin/nginx";

/** As the image's own entry point does it: `kong start` would stay beside nginx, and be measured with it. */
const start = `kong prepare -c "$1" && exec ${nginx} -p "$2" -c nginx.conf`;

function configurationFiles(own: KongConfiguration, scenario: ResolvedScenario, site: GatewaySite) {
  return {
    "kong.conf": own.conf === undefined ? kongConf(scenario, site) : withSite(own.conf, site),
    "kong.yaml": own.declarative === undefined ? declarative(scenario, site) : withSite(own.declarative, site),
  };
}

const pemFiles = ({ certificate, key }: Certificate) => ({ "certificate.pem": certificate, "key.pem": key });

/** nginx counts for all its servers together, the reading of this page included. Statuses only a plugin would count. */
function counters({ status }: Ports): readonly CounterPage[] {
  return [
    {
      port: status as number,
      path: "/status",
      adds: { requests: 1, connections: 1 },
      values: { requests: '"total_requests":(\\d+)', connections: '"connections_accepted":(\\d+)' },
    },
  ];
}
