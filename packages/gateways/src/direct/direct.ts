import {
  fault,
  FaultError,
  type Address,
  type Endpoint,
  type GatewayAdapter,
  type GatewaySite,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { requestTo } from "../requests";

/** No gateway: traffic goes straight to the first upstream. The baseline, a target like any other. */
export function direct(): GatewayAdapter {
  return {
    name: "direct",
    version: null,
    ports: [],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      auth: [],
      credentials: [],
      rateLimit: [],
      analytics: false,
      balancing: [],
      routes: 1,
      consumers: 0,
    },
    render: (scenario, site) => ({
      kind: "containers",
      workloads: [],
      entry: entryOf(scenario, site),
      requests: [requestTo("/", scenario)],
    }),
  };
}

function entryOf({ scheme }: ResolvedScenario, { upstreams }: GatewaySite): Endpoint {
  const { host, port, securePort } = upstreams[0] as Address;
  if (scheme === "http") return { scheme, host, port };
  if (securePort === undefined) throw new FaultError([withoutTls]);
  return { scheme, host, port: securePort };
}

const withoutTls = fault(
  "unsupported-policy",
  "direct cannot be reached over https, because the upstream has no port with TLS. Choose an upstream that has one, such as static-payload, or the scheme http.",
);
