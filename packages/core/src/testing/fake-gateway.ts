import {
  addressOf,
  bindAddress,
  fileOf,
  type ContainerDeployment,
  type GatewayAdapter,
  type GatewaySite,
  type RequestSpec,
  type ResolvedScenario,
} from "../contract";

/** A gateway that satisfies every gateway law and is never meant to run: its one file says what it was asked for. */
export function fakeGateway(changes: Partial<GatewayAdapter> = {}): GatewayAdapter {
  return {
    name: "fake",
    version: "1.0.0",
    ports: ["entry", "status"],
    supports: {
      schemes: ["http", "https"],
      tlsVersions: ["1.2", "1.3"],
      auth: ["key"],
      credentials: ["header"],
      rateLimit: [{ store: "local", scopes: ["gateway", "consumer"], algorithm: "none" }],
      analytics: false,
      balancing: ["round-robin"],
      routes: 100,
      consumers: 100,
    },
    render,
    ...changes,
  };
}

function render(scenario: ResolvedScenario, site: GatewaySite): ContainerDeployment {
  const status = site.ports.status as number;
  return {
    kind: "containers",
    workloads: [
      {
        name: "fake",
        role: "gateway",
        image: "fake:1.0.0",
        command: ["fake-gateway", fileOf("fake.json")],
        files: { "fake.json": configuration(scenario, site), ...certificateFile(site) },
        ports: site.ports,
        readiness: { port: status, path: "/ready" },
      },
    ],
    entry: { scheme: scenario.scheme, host: addressOf("fake"), port: site.ports.entry as number },
    counters: [{ port: status, path: "/status", values: { requests: "^requests (\\d+)$" } }],
    requests: requestsOf(scenario, site),
  };
}

const certificateFile = ({ certificate }: GatewaySite): Record<string, string> =>
  certificate ? { "certificate.pem": certificate.certificate, "key.pem": certificate.key } : {};

function configuration(scenario: ResolvedScenario, { upstreams, consumers, ports, workers }: GatewaySite): string {
  return JSON.stringify({
    bind: bindAddress,
    ports,
    workers,
    upstreams,
    keepAlive: scenario.upstream.keepAlive,
    balancing: scenario.balancing,
    routes: scenario.routes,
    keys: scenario.auth === "key" ? consumers.map(({ key }) => key) : [],
    limit: scenario.rateLimit ?? null,
    tls: scenario.scheme === "https" ? scenario.tls : null,
  });
}

/** Each route and each consumer at least once. */
function requestsOf(
  { routes, auth, request }: ResolvedScenario,
  { consumers }: GatewaySite,
): readonly [RequestSpec, ...RequestSpec[]] {
  const one = (index: number): RequestSpec => {
    const key = consumers[index % Math.max(1, consumers.length)]?.key;
    return {
      method: request.method,
      path: `/route-${(index % routes) + 1}/`,
      headers: { ...request.headers, ...(auth === "key" && key ? { "X-Key": key } : {}) },
      ...(request.body === undefined ? {} : { body: request.body }),
      expect: 200,
    };
  };
  const more = Math.max(routes, consumers.length) - 1;
  return [one(0), ...Array.from({ length: more }, (_, index) => one(index + 1))];
}
