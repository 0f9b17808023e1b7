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
import { requestsOf } from "../requests";
import { filesWithSite } from "../site-references";
import { image } from "./image";
import { nginxConf, statusConf } from "./nginx-conf";

export interface NginxOptions {
  /** Tag of the official image. Another version is another gateway: its results stand in a row of their own. */
  readonly version?: string;
  /** Your own native configuration in place of ours. It is verified like ours before it is measured. */
  readonly configuration?: NginxFiles;
}

/**
 * Files by path, each as its whole text. What is not known while planning stands as a reference: `<gatebench:bind>`,
 * `<gatebench:port.entry>`, `<gatebench:port.status>`, `<gatebench:workers>`, `<gatebench:upstream-1>`,
 * `<gatebench:consumer-1.key>`, `<gatebench:file.status.conf>`. The README has an example.
 */
export type NginxFiles = { readonly "nginx.conf": string } & Readonly<Record<string, string>>;

/** NGINX Open Source as a reverse proxy. */
export function nginx({ version = image.version, configuration }: NginxOptions = {}): GatewayAdapter {
  return {
    name: "nginx",
    version,
    ports: ["entry", "status", "redirect"],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      redirectHttp: true,
      auth: ["key", "basic"],
      credentials: ["header", "cookie"],
      rateLimit: [{ store: "local", scopes: ["gateway", "route", "consumer", "client"], algorithm: "leaky bucket" }],
      analytics: false,
      balancing: ["round-robin", "least-connections"],
      routes: 1000,
      consumers: 1000,
    },
    render: (scenario, site) => ({
      kind: "containers",
      workloads: [workload(version, configurationFiles(configuration, scenario, site), portsFor(scenario, site))],
      entry: { scheme: scenario.scheme, host: addressOf("nginx"), port: site.ports.entry as number },
      ...(scenario.redirectHttp ? { redirectPort: site.ports.redirect as number } : {}),
      counters: counters(site.ports),
      requests: requestsOf(scenario, site),
    }),
  };
}

/** What is listened on: the redirect only where there is one. */
function portsFor({ redirectHttp }: ResolvedScenario, { ports }: GatewaySite): Ports {
  const { redirect, ...always } = ports;
  return redirectHttp ? { ...always, redirect: redirect as number } : always;
}

function workload(version: string, files: Readonly<Record<string, string>>, ports: Ports): Workload {
  return {
    name: "nginx",
    role: "gateway",
    image: image.of(version),
    versionCommand: ["nginx", "-v"],
    command: ["nginx", "-p", folder, "-c", fileOf("nginx.conf"), "-e", "stderr"],
    files,
    ports,
    openFiles: 65_536,
    readiness: { port: ports.status as number, path: "/status" },
  };
}

/** What a configuration refers to lies beside it, whoever wrote it. */
const configurationFiles = (own: NginxFiles | undefined, scenario: ResolvedScenario, site: GatewaySite) => ({
  ...(own
    ? { "status.conf": statusConf(site), ...filesWithSite(own, site) }
    : { "nginx.conf": nginxConf(scenario, site) }),
  ...(scenario.auth === "basic" ? { htpasswd: htpasswd(site) } : {}),
  ...(site.certificate ? pemFiles(site.certificate) : {}),
});

const htpasswd = ({ consumers }: GatewaySite) => consumers.map((consumer) => `${consumer.htpasswd}\n`).join("");
const pemFiles = ({ certificate, key }: Certificate) => ({ "certificate.pem": certificate, "key.pem": key });

/** nginx counts requests and connections of all its servers together, the reading of these two pages included. */
function counters({ status }: Ports): readonly CounterPage[] {
  const page = { port: status as number, adds: { requests: 1, connections: 1 } };
  return [
    {
      ...page,
      path: "/status",
      values: { connections: "requests\\s+(\\d+)", requests: "requests\\s+\\d+\\s+\\d+\\s+(\\d+)" },
    },
    { ...page, path: "/failures", statusLines: "^(\\d{3})$" },
  ];
}
