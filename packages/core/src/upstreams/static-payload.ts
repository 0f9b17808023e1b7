import {
  certificate,
  fault,
  fileOf,
  folder,
  type CounterPage,
  type Fault,
  type Ports,
  type UpstreamBehaviour,
  type Workload,
} from "../contract";
import { staticPayloadConf } from "./static-payload-conf";
import { image } from "./static-payload-image";
import { payload } from "./payload";
import type { UpstreamApp, UpstreamSite } from "./upstream-app";

export interface StaticPayloadOptions {
  /** Tag of the official nginx image. */
  readonly version?: string;
}

/** nginx answering out of its configuration: no disk, no upstream of its own, the cheapest answer there is. */
export function staticPayload({ version = image.version }: StaticPayloadOptions = {}): UpstreamApp {
  return {
    name: "static-payload",
    version,
    ports: ["http", "https", "status"],
    echo: { path: "/echo" },
    unsupported,
    workload: (site) => workload(version, site),
    address: (host, { http, https }) => ({ host, port: http as number, securePort: https as number }),
    counters,
    label,
    answer: ({ responseBytes = 1024 }) => ({ path: "/", body: { text: payload(responseBytes) } }),
  };
}

const label = (index: number) => `upstream-${index}`;

function unsupported({ delay }: UpstreamBehaviour): readonly Fault[] {
  if (delay === undefined) return [];
  return [
    fault(
      "unsupported-policy",
      `the upstream static-payload cannot wait ${delay} before it answers. It can: answer with any number of bytes, echo a body. Drop the delay, or choose an upstream that can wait, such as go-bench-suite.`,
    ),
  ];
}

function workload(version: string, site: UpstreamSite): Workload {
  return {
    name: label(site.index),
    role: "upstream",
    image: image.of(version),
    versionCommand: ["nginx", "-v"],
    command: ["nginx", "-p", folder, "-c", fileOf("nginx.conf"), "-e", "stderr"],
    files: { "nginx.conf": staticPayloadConf(site, label(site.index)), ...(site.tls ? pemFiles : {}) },
    ports: site.ports,
    openFiles: 65_536,
    readiness: { port: site.ports.http as number, path: "/" },
  };
}

const pemFiles = { "certificate.pem": certificate.certificate, "key.pem": certificate.key };

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
