import type { Workload } from "../contract";
import { containerUpstream } from "./container-upstream";
import type { UpstreamApp } from "./upstream-app";

export interface PingOptions {
  /** Of `services/Dockerfile`, built for a registry of yours. Needed where containers are used: no public registry has one. */
  readonly image?: string;
  /** CPU and memory it may have; only containers can be given any. @default all of its host's */
  readonly limits?: Workload["limits"];
}

/** The service of `services/ping`, which answers with 18 known bytes and counts, as the API of the published test of an authorization. */
export function ping({ image = "gatebench-ping:0.1.0", limits }: PingOptions = {}): UpstreamApp {
  return containerUpstream({
    name: "ping",
    ...{ image, limits },
    // Its name on PATH, here and in its image.
    command: ["gatebench-ping"],
    programs: ["gatebench-ping"],
    env: {
      PING_BIND: "<gatebench:bind>",
      PING_LISTEN_PORT: "<gatebench:port.http>",
    },
    path: "/api/v1/ping",
    readyPath: "/healthz",
    body: '{"message":"pong"}',
    counters: [{ path: "/metrics", values: { requests: String.raw`^ping_requests_total\{code="200"\} (\S+)$` } }],
  });
}
