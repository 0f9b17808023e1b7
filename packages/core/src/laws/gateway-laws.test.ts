import {
  addressOf,
  bindAddress,
  fault,
  FaultError,
  fileOf,
  type ContainerDeployment,
  type GatewayAdapter,
  type GatewaySite,
  type ResolvedScenario,
  type Workload,
} from "../contract";
import { gatewayLaws } from "./gateway-laws";

const config = (scenario: ResolvedScenario, { upstreams, consumers, ports, workers }: GatewaySite) =>
  JSON.stringify({
    bind: bindAddress,
    ports,
    workers,
    upstreams,
    keepAlive: scenario.upstream.keepAlive,
    balancing: scenario.balancing,
    routes: scenario.routes,
    [`${scenario.auth && "key"}`]: consumers.map(({ key }) => key),
    limit: scenario.rateLimit,
    tls: scenario.scheme === "https" && { ...scenario.tls, certificate: fileOf("certificate.pem") },
  });

const requests = ({ routes, auth, request }: ResolvedScenario, { consumers }: GatewaySite) =>
  Array.from({ length: Math.max(routes, consumers.length) }, (_, index) => ({
    ...request,
    path: `/${index % routes}`,
    headers: { ...request.headers, ...(auth ? { key: consumers[index % consumers.length]?.key as string } : {}) },
    ...(request.body === undefined ? { body: "" } : { body: request.body }),
    expect: 200,
  }));

const sound: GatewayAdapter = {
  name: "toy",
  version: "1.2.3",
  ports: ["entry", "status"],
  supports: {
    schemes: ["http", "https"],
    tlsVersions: ["1.2", "1.3"],
    auth: ["key"],
    credentials: ["header"],
    rateLimit: [{ store: "local", scopes: ["gateway", "consumer"], algorithm: "token bucket" }],
    analytics: false,
    balancing: ["round-robin", "least-connections"],
    routes: 10,
    consumers: 10,
  },
  render: (scenario, site): ContainerDeployment => ({
    kind: "containers",
    workloads: [
      {
        name: "toy",
        role: "gateway",
        image: "toy:1.2.3",
        command: ["toy", fileOf("toy.json")],
        files: {
          "toy.json": config(scenario, site),
          ...(site.certificate ? { "certificate.pem": site.certificate.certificate } : {}),
        },
        ports: site.ports,
        readiness: { port: site.ports.status as number },
      },
    ],
    entry: { scheme: scenario.scheme, host: addressOf("toy"), port: site.ports.entry as number },
    counters: [{ port: site.ports.status as number, path: "/", values: { requests: "requests (\\d+)" } }],
    requests: requests(scenario, site),
  }),
};

/** The sound adapter with its deployment changed. */
const rendering = (change: (made: ContainerDeployment, scenario: ResolvedScenario) => object): GatewayAdapter => ({
  ...sound,
  render: (scenario, site) => {
    const made = sound.render(scenario, site) as ContainerDeployment;
    return { ...made, ...change(made, scenario) };
  },
});

const withWorkload = (change: (workload: Workload, scenario: ResolvedScenario) => object) =>
  rendering(({ workloads }, scenario) => ({
    workloads: workloads.map((workload) => ({ ...workload, ...change(workload, scenario) })),
  }));

const withText = (change: (text: string) => string) =>
  withWorkload(({ files = {} }) => ({ files: { ...files, "toy.json": change(files["toy.json"] as string) } }));

const measuring = (changes: object) =>
  rendering(({ entry }) => {
    const figure = {
      name: "requests",
      unit: "requests",
      kind: "counter",
      query: "requests_total{$gateway}",
      ...changes,
    };
    return { metrics: [{ port: entry.port, path: "/metrics", figures: [figure] }] };
  });

const supporting = (supports: Partial<GatewayAdapter["supports"]>): GatewayAdapter => ({
  ...sound,
  supports: { ...sound.supports, ...supports },
});

const brokenBy = (adapter: GatewayAdapter): readonly string[] =>
  gatewayLaws.filter((law) => breaks(() => law.check(adapter))).map(({ name }) => name);

function breaks(check: () => void): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}

test("a sound adapter with figures of its own keeps every law", () => expect(brokenBy(measuring({}))).toEqual([]));

test("a sound adapter keeps every law", () => {
  for (const law of gatewayLaws) law.check(sound);
});

const refusing = (what: (scenario: ResolvedScenario) => boolean, error: Error): GatewayAdapter => ({
  ...sound,
  render: (scenario, site) => {
    if (what(scenario)) throw error;
    return sound.render(scenario, site);
  },
});
const aFault = new FaultError([fault("unsupported-policy", "toy has one configuration.")]);

test("an adapter may refuse what its capabilities have no word for, by a fault", () => {
  const special = ({ tls, upstream }: ResolvedScenario) => tls.resumption || !upstream.keepAlive;
  expect(brokenBy(refusing(special, aFault))).toEqual([]);
  expect(brokenBy(refusing(special, new Error("x is not a function")))).not.toEqual([]);
});

test("it may not refuse what it declares", () => {
  expect(brokenBy(refusing(({ tls }) => tls.version === "1.3", aFault))).toContain(tls);
  expect(brokenBy(refusing(({ auth }) => auth === "key", aFault))).toContain(policies);
});

test("an adapter that serves TLS in one way only is asked for that way, and must refuse the others", () => {
  const one = supporting({ tlsOnly: { curve: "X25519", resumption: true } });
  const exact: GatewayAdapter = {
    ...one,
    render: (scenario, site) => {
      if (scenario.scheme === "https" && !scenario.tls.resumption) throw new Error("it cannot refuse to resume");
      return sound.render(scenario, site);
    },
  };
  expect(brokenBy(exact)).toEqual([]);
});

test("no two laws have the same name", () => {
  expect(new Set(gatewayLaws.map(({ name }) => name)).size).toBe(gatewayLaws.length);
});

let calls = 0;

const policies = "renders differently for each policy it claims to enforce";
const tls = "serves TLS exactly as the profile says";

test.each<[string, GatewayAdapter, readonly string[]]>([
  ["has a name with capitals", { ...sound, name: "Toy" }, ["has a kebab-case name"]],
  [
    "takes keys where it claims basic auth",
    supporting({ auth: ["key", "basic"] }),
    [policies, "sends to each route, and as each consumer with that consumer's credential"],
  ],
  [
    "claims key auth and renders nothing for it",
    withText((text) => text.replaceAll(/"(key|undefined)":\[[^\]]*\]/g, "")),
    [policies],
  ],
  ["limits the same whatever the scope", withText((text) => text.replaceAll(/"scope":"[a-z]*"/g, "")), [policies]],
  ["claims analytics and renders nothing for them", supporting({ analytics: true }), [policies]],
  ["claims cookies and renders nothing for them", supporting({ credentials: ["header", "cookie"] }), [policies]],
  [
    "runs the latest image",
    withWorkload(() => ({ image: "toy:latest" })),
    ["pins every image to a version", "renders the version it states"],
  ],
  [
    "runs an image without a tag",
    withWorkload(() => ({ image: "registry:5000/toy" })),
    ["pins every image to a version", "renders the version it states"],
  ],
  [
    "runs another version than it states",
    withWorkload(() => ({ image: "toy:1.2.4" })),
    ["renders the version it states"],
  ],
  [
    "renders another text each time",
    withText((text) => `${text}${++calls}`),
    ["renders the same for the same scenario, and changes neither scenario nor site", "moves with its ports"],
  ],
  ["renders what is no data", withWorkload(() => ({ env: { PORT: undefined } })), ["renders plain data"]],
  [
    "refers to a value nobody has",
    withText((text) => `${text}<gatebench:consumer-99.key>`),
    ["refers only to values that exist"],
  ],
  [
    "refers to a file it does not have",
    withText((text) => `${text}${fileOf("missing")}`),
    ["refers only to siblings and files that it has"],
  ],
  [
    "refers to a sibling it does not have",
    withText((text) => `${text}${addressOf("redis")}`),
    ["refers only to siblings and files that it has"],
  ],
  [
    "writes a certificate into other text",
    withText((text) => `${text}<gatebench:certificate.key>`),
    ["keeps certificates and keys in files of their own"],
  ],
  [
    "gives a certificate to the environment",
    withWorkload(() => ({ env: { PEM: "<gatebench:certificate.key>" } })),
    ["keeps certificates and keys in files of their own"],
  ],
  [
    "forgets an upstream",
    withText((text) => text.replaceAll("upstream-2.test", "upstream-1.test")),
    ["reaches every upstream"],
  ],
  [
    "binds where it likes",
    withText((text) => text.replaceAll(bindAddress, "0.0.0.0")),
    ["binds its workloads to the address the host says"],
  ],
  [
    "has a port of its own",
    withWorkload(({ ports }) => ({ ports: { ...ports, debug: 6060 } })),
    ["uses only the ports it was given"],
  ],
  ["does not listen where it was told", withText((text) => text.replaceAll("18001", "8080")), ["moves with its ports"]],
  [
    "counts workers by itself",
    withText((text) => text.replaceAll(/"workers":\d/g, '"workers":"auto"')),
    ["gives the gateway the workers of its site"],
  ],
  [
    "keeps connections whatever is asked",
    withText((text) => text.replaceAll('"keepAlive":false', '"keepAlive":true')),
    ["keeps connections to the upstream open only where asked"],
  ],
  ["serves any cipher", withText((text) => text.replaceAll(/"cipher":"[^"]*"/g, "")), [tls]],
  [
    "resumes sessions whatever is asked",
    withText((text) => text.replaceAll('"resumption":true', '"resumption":false')),
    [tls],
  ],
  [
    "lets traffic in elsewhere",
    rendering(({ entry }) => ({ entry: { ...entry, port: entry.port + 1 } })),
    ["lets traffic enter at its first port, with the scheme asked for"],
  ],
  [
    "sends no credential",
    rendering(({ requests }) => ({
      requests: requests.map(({ headers, ...rest }) => ({
        ...rest,
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "key")),
      })),
    })),
    ["sends to each route, and as each consumer with that consumer's credential"],
  ],
  [
    "sends to one route only",
    rendering(({ requests }) => ({ requests: requests.slice(0, 1) })),
    ["sends to each route, and as each consumer with that consumer's credential"],
  ],
  [
    "sends another body",
    rendering(({ requests }) => ({ requests: requests.map((request) => ({ ...request, body: "" })) })),
    ["sends the scenario's request, expecting 200"],
  ],
  ["is never ready", withWorkload(() => ({ readiness: { port: 1 } })), ["says how to tell that it is ready"]],
  [
    "counts by an expression without a capture",
    rendering(({ counters = [] }) => ({
      counters: counters.map((page) => ({ ...page, values: { requests: "\\d+" } })),
    })),
    ["counts and measures on ports of its workloads, by expressions with one capture"],
  ],
  [
    "asks all gateways for a figure of its own",
    measuring({ query: "requests_total" }),
    ["declares figures that are PromQL, each of its own series"],
  ],
  [
    "declares a figure that is no PromQL",
    measuring({ query: "requests_total{$gateway" }),
    ["declares figures that are PromQL, each of its own series"],
  ],
])("an adapter that %s breaks the law about it, and no other", (_, adapter, laws) => {
  expect(brokenBy(adapter)).toEqual(laws);
});

test("an adapter that takes what it does not declare is found out by its policies", () => {
  const { supports } = sound;
  expect(brokenBy({ ...sound, supports: { ...supports, routes: NaN } })).toContain(
    "refuses each policy it does not claim",
  );
});
