/** An observatory beside a benchmark, as the engine is told of it. */
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import {
  remoteWriteJob,
  remoteWriteUrl,
  type Cell,
  type ContainerDeployment,
  type GatewayAdapter,
  type GeneratorAdapter,
  type JobOutput,
  type Load,
  type QueriedFigure,
  type Workload,
} from "../contract";
import { isSecret, material, MockedEngine, orderIn, plain, verbOf } from "../hosts/mocked-engine";
import { repeat } from "../measure";
import { fakeGateway, fakeGenerator, fakeOutput } from "../testing";
import { LocalTopology } from "../topologies/local-topology";
import { SshTopology, type SshMachine } from "../topologies/ssh-topology";
import { staticPayload } from "../upstreams";
import { Benchmark } from "./benchmark";
import { GatewayUnderTest } from "./gateway-under-test";
import { LoadGenerator } from "./load-generator";
import { Observatory, type ObservatoryArgs } from "./observatory";
import { UpstreamHost } from "./upstream-host";

jest.mock("../laws", () => ({
  ...jest.requireActual<object>("../laws"),
  verificationOf: (target: string) => ({ target, laws: [] }),
}));

/** Ports of these tests' own, whoever else measures on this machine. */
const portBase = 15_200;
const requests = "requests_total{$gateway}";
const counted: QueriedFigure = { name: "gateway-requests", unit: "requests", kind: "counter", query: requests };
const heard: QueriedFigure = {
  name: "controller-users",
  unit: "users",
  kind: "gauge",
  query: "sum(users{$generator})",
};

/** A gateway that says what it exposes. */
function exposing(figures: readonly QueriedFigure[] = [counted]): GatewayAdapter {
  const sound = fakeGateway({ name: "telling" });
  return {
    ...sound,
    render: (scenario, site) => {
      const made = sound.render(scenario, site) as ContainerDeployment;
      return { ...made, metrics: [{ port: site.ports.status as number, path: "/metrics", figures }] };
    },
  };
}

interface Asked extends Partial<ObservatoryArgs> {
  readonly load?: Load;
  /** Whether the gateways are among what is watched. */
  readonly isBlind?: boolean;
  readonly workers?: number;
  readonly adapter?: GatewayAdapter;
  readonly isWithout?: boolean;
  readonly sender?: GeneratorAdapter;
}

const tenSeconds: Load = { model: "closed", connections: 8, duration: "10s" };

const silentSender = fakeGenerator({ reports: { ...fakeGenerator().reports, distributed: true } });

function declare({
  load = tenSeconds,
  isBlind,
  workers,
  adapter = exposing(),
  isWithout,
  sender = silentSender,
  ...args
}: Asked = {}) {
  const site = new LocalTopology("site", { portBase, workers });
  const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
  const under = { host: site.gateway, upstream, scenario: { name: "plain" } };
  const telling = new GatewayUnderTest("telling", { ...under, adapter });
  const silent = new GatewayUnderTest("silent", { ...under, adapter: fakeGateway() });
  const generator = new LoadGenerator("load", {
    ...{ host: site.generator, workers: site.workers },
    adapter: sender,
  });
  const watches = [upstream, generator, ...(isBlind ? [] : [telling, silent])];
  const observatory = new Observatory("observatory", { host: site.observer, watches, ...args });
  const targets = { telling, silent };
  const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
  const given = { generator, targets, load, protocol, ...(isWithout ? {} : { observatory }) };
  return { observatory, benchmark: new Benchmark("bench", given) };
}

const answered = ({ label }: { readonly label: string }): JobOutput =>
  label.includes(": verifies ") ? { stdout: "held", stderr: "", files: {}, exitCode: 0 } : fakeOutput();

async function engineAfter(asked: Asked = {}): Promise<{ readonly engine: MockedEngine } & ReturnType<typeof declare>> {
  const engine = new MockedEngine(answered);
  return { engine, ...(await engine.run(() => declare(asked))) };
}

/** The line with which a program is refused before anything of the observatory or the benchmark is there. */
async function refusal(asked: Asked): Promise<string> {
  const engine = new MockedEngine();
  const error = await engine.run(() => {
    try {
      return declare(asked);
    } catch (thrown) {
      return thrown as Error;
    }
  });
  expect(engine.registered.map(({ type }) => type)).not.toContain("gatebench:index:Benchmark");
  return pulumi.RunError.isInstance(error) ? error.message : "";
}

const started = (engine: MockedEngine, name: string): Workload =>
  (JSON.parse(plain(engine.named(name).inputs.stdin) as string) as { workload: Workload }).workload;
const ordersOf = (engine: MockedEngine) =>
  engine.registered
    .filter(({ inputs }) => inputs.create && verbOf(inputs) === "run-job")
    .map(({ inputs }) => orderIn(plain(inputs.stdin) as string));
const valueOf = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

test("Prometheus scrapes what is declared, each machine once, and itself", async () => {
  const { engine } = await engineAfter({ workers: 2, scrapeInterval: "500ms" });
  const starts = engine.registered.filter(
    ({ parent, inputs }) => parent === "observatory" && verbOf(inputs) === "start-workload",
  );
  expect(starts.map(({ name }) => name)).toEqual(["observatory-local-node-exporter", "observatory-prometheus"]);
  const { global, scrape_configs: configs } = parse(
    started(engine, "observatory-prometheus").files?.["prometheus.yaml"] as string,
  ) as {
    global: { scrape_interval: string };
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  const { ports } = started(engine, "telling-fake");
  expect(global.scrape_interval).toBe("500ms");
  expect(configs.map((one) => [one.job_name, one.static_configs.flatMap(({ targets }) => targets)])).toEqual([
    ["gateway-telling", [`127.0.0.1:${ports.status}`]],
    ["host-local", [`127.0.0.1:${started(engine, "observatory-local-node-exporter").ports["node-exporter"]}`]],
    ["observatory", [`127.0.0.1:${started(engine, "observatory-prometheus").ports.prometheus}`]],
  ]);
});

test("a run waits for the observatory to be there, and is told what to ask it", async () => {
  const { engine } = await engineAfter();
  const run = engine.named("bench-telling-1");
  const verify = engine.named("bench-telling-verify");
  expect(verify.dependsOn).toEqual(
    expect.arrayContaining(["observatory-prometheus", "observatory-local-node-exporter"]),
  );
  const order = orderIn(plain(run.inputs.stdin) as string);
  expect(order.observatory).toMatchObject({ host: "127.0.0.1", scrapeIntervalS: 1, targets: 3, job: "observatory" });
  expect(order.observatory?.figures).toEqual([
    { figure: { ...counted, query: 'requests_total{job="gateway-telling"}' }, jobs: ["gateway-telling"] },
    { figure: expect.objectContaining({ name: "local-host-cpu" }), jobs: ["host-local"] },
    { figure: expect.objectContaining({ name: "local-host-memory" }), jobs: ["host-local"] },
  ]);
  expect(order.watched.filter(({ role }) => role === "observer").map(({ name }) => name)).toEqual([
    "observatory-local-node-exporter",
    "observatory-prometheus",
  ]);
});

test("a verification is asked for no figures, and probes nothing of the observatory", async () => {
  const { engine } = await engineAfter();
  const orders = ordersOf(engine);
  expect(orders.map(({ label, observatory }) => [label.includes("verifies"), observatory !== undefined])).toEqual(
    expect.arrayContaining([
      [true, false],
      [false, true],
    ]),
  );
  for (const { probed } of orders) expect(probed.map(({ name }) => name).join()).not.toContain("observatory");
});

test("each run is asked for the figures of its own gateway; a user's own, where nothing exposes them, say so", async () => {
  const own: QueriedFigure = { ...counted, name: "mine", query: 'errors_total{$gateway,code="500"}' };
  const { engine } = await engineAfter({ queries: [own, heard] });
  const asked = Object.fromEntries(
    ordersOf(engine).flatMap(({ label, observatory }) =>
      observatory
        ? [
            [
              /→ (\w+)/.exec(label)?.[1],
              observatory.figures.map(({ figure, missing }) => [figure.name, missing ?? figure.query]),
            ],
          ]
        : [],
    ),
  ) as Record<string, readonly (readonly [string, string])[]>;
  const [users] = [["controller-users", "generator load exposes nothing to Prometheus"]];
  expect(asked.telling?.filter(([name]) => !name.startsWith("local-"))).toEqual([
    ["gateway-requests", 'requests_total{job="gateway-telling"}'],
    ["mine", 'errors_total{job="gateway-telling",code="500"}'],
    users,
  ]);
  expect(asked.silent?.filter(([name]) => !name.startsWith("local-"))).toEqual([
    ["mine", "gateway silent exposes nothing to Prometheus"],
    users,
  ]);
});

test("figures by name are those alone", async () => {
  const { engine } = await engineAfter({ figures: ["gateway-requests"] });
  const names = ordersOf(engine).map(({ observatory }) => observatory?.figures.map(({ figure }) => figure.name));
  expect(names.filter(Boolean)).toEqual(expect.arrayContaining([["gateway-requests"], []]));
});

test("a result says that it was there and how often it scraped; without it there is nothing of the kind", async () => {
  const cells = async (asked: Asked) => {
    const { benchmark } = await engineAfter(asked);
    return Object.values(await valueOf(benchmark.cells as pulumi.Output<Record<string, Cell>>));
  };
  const [telling, silent] = await cells({ scrapeInterval: "2s" });
  expect([telling?.observatory, silent?.observatory]).toEqual([{ scrapeIntervalS: 2 }, { scrapeIntervalS: 2 }]);
  expect(telling?.runs[0]?.figures?.[0]).toEqual({
    ...{ name: "gateway-requests", unit: "requests", value: 1 },
    query: 'requests_total{job="gateway-telling"}',
  });
  for (const cell of await cells({ isWithout: true }))
    expect([cell.observatory, cell.runs[0]?.figures]).toEqual([undefined, undefined]);
});

test("another interval measures anew; nothing of it is in the engine's arguments but names", async () => {
  const idOf = async (asked: Asked) => (await engineAfter(asked)).engine.named("bench-telling-1").inputs.triggers;
  expect(await idOf({})).toEqual(await idOf({}));
  expect(await idOf({ scrapeInterval: "2s" })).not.toEqual(await idOf({}));
  expect((await engineAfter()).engine.named("observatory").inputs).toEqual({
    scrapeInterval: "1s",
    watches: ["upstream upstream", "generator load", "gateway telling", "gateway silent"],
  });
});

test("Grafana is started where it is asked for, with its password secret and in no text", async () => {
  const { engine, observatory } = await engineAfter({ grafana: true });
  const { env, files } = started(engine, "observatory-grafana");
  expect(env?.GF_SECURITY_ADMIN_PASSWORD).toBe("<gatebench:grafana.password>");
  expect(Object.keys(files ?? {})).toEqual(
    expect.arrayContaining(["dashboards/gateway.json", "dashboards/hosts.json"]),
  );
  expect(isSecret(engine.named("observatory-grafana").inputs.stdin)).toBe(true);
  expect(await pulumi.isSecret(observatory.grafana?.password as pulumi.Output<string>)).toBe(true);
  expect(JSON.stringify(engine.named("observatory").outputs)).not.toContain(material.seed);
  expect(await valueOf(observatory.grafana?.url as pulumi.Output<string>)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

describe("series that a generator sends itself", () => {
  const remoteWrite = { options: [`--to=${remoteWriteUrl}`], env: { LABEL: remoteWriteJob } };
  const sender = fakeGenerator({ reports: { ...fakeGenerator().reports, distributed: true, remoteWrite } });

  test("go to Prometheus where that is asked for, under the generator's label", async () => {
    const { engine } = await engineAfter({ remoteWrite: true, sender });
    const { command, ports } = started(engine, "observatory-prometheus");
    expect(command).toContain("--web.enable-remote-write-receiver");
    const { job } = orderIn(plain(engine.named("bench-telling-1").inputs.stdin) as string);
    expect(job.command.at(-1)).toBe(`--to=http://127.0.0.1:${ports.prometheus}/api/v1/write`);
    expect(job.env).toMatchObject({ LABEL: "generator-load" });
  });

  test("are not sent unless asked for", async () => {
    const { engine } = await engineAfter({ sender });
    expect(started(engine, "observatory-prometheus").command).not.toContain("--web.enable-remote-write-receiver");
    const { job } = orderIn(plain(engine.named("bench-telling-1").inputs.stdin) as string);
    expect(JSON.stringify(job)).not.toMatch(/--to=|LABEL|observatory/);
  });
});

test("it says where Prometheus answers", async () => {
  const { engine, observatory } = await engineAfter();
  const { ports } = started(engine, "observatory-prometheus");
  expect(await valueOf(observatory.url)).toBe(`http://127.0.0.1:${ports.prometheus}`);
});

describe("on machines over SSH", () => {
  const machine = (number: number, more: Partial<SshMachine> = {}): SshMachine => ({
    ...{ host: `203.0.113.${number}`, user: "me", privateKey: "the-key" },
    ...{ address: `10.0.0.${number}`, cpus: 2, ...more },
  });
  const observed = async (args: Partial<ObservatoryArgs>, more: Partial<SshMachine> = {}) => {
    const engine = new MockedEngine(answered);
    const declared = await engine.run(() => {
      const site = new SshTopology("rig", {
        ...{ upstream: machine(1), gateway: machine(2), generator: machine(3), observer: machine(4, more) },
      });
      const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
      const under = { host: site.gateway, upstream, scenario: { name: "plain" } };
      const gateway = new GatewayUnderTest("telling", { ...under, adapter: exposing() });
      const load = new LoadGenerator("load", { host: site.generator, adapter: fakeGenerator() });
      return new Observatory("observatory", { host: site.observer, watches: [upstream, gateway, load], ...args });
    });
    const ports = (name: string) => started(engine, `observatory-${name}`).ports;
    return { engine, observatory: declared, ports };
  };

  test("each machine has a node exporter, the observer's Prometheus scrapes them by their own network", async () => {
    const { engine, ports } = await observed({});
    const starts = engine.registered.filter(
      ({ parent, inputs }) => parent === "observatory" && inputs.create !== undefined,
    );
    expect(starts.map(({ name, inputs }) => [name, (plain(inputs.connection) as { host: string }).host])).toEqual([
      ["observatory-upstream-node-exporter", "203.0.113.1"],
      ["observatory-gateway-node-exporter", "203.0.113.2"],
      ["observatory-generator-node-exporter", "203.0.113.3"],
      ["observatory-observer-node-exporter", "203.0.113.4"],
      ["observatory-prometheus", "203.0.113.4"],
    ]);
    const { files } = started(engine, "observatory-prometheus");
    for (const number of [1, 2, 3, 4])
      expect(files?.["prometheus.yaml"]).toContain(
        `10.0.0.${number}:${ports("gateway-node-exporter")["node-exporter"]}`,
      );
  });

  test("it is reached through a tunnel to one's own loopback, Grafana's password is secret", async () => {
    const { observatory, ports } = await observed({ grafana: true }, { port: 2222 });
    const { tunnel, prometheus, grafana } = observatory.access("my.pem");
    expect(await valueOf(tunnel as pulumi.Output<string>)).toBe(
      [
        `ssh -N -i my.pem -p 2222 -L 9090:10.0.0.4:${ports("prometheus").prometheus}`,
        `-L 3000:10.0.0.4:${ports("grafana").grafana} me@203.0.113.4`,
      ].join(" "),
    );
    expect(await valueOf(prometheus)).toBe("http://127.0.0.1:9090");
    expect(await valueOf(grafana?.url as pulumi.Output<string>)).toBe("http://127.0.0.1:3000");
    expect(await pulumi.isSecret(grafana?.password as pulumi.Output<string>)).toBe(true);
    expect(await pulumi.isSecret(tunnel as pulumi.Output<string>)).toBe(false);
  });

  test("without a key file and Grafana the command has neither", async () => {
    const { observatory, ports } = await observed({});
    const { tunnel, grafana } = observatory.access();
    expect(await valueOf(tunnel as pulumi.Output<string>)).toBe(
      `ssh -N -L 9090:10.0.0.4:${ports("prometheus").prometheus} me@203.0.113.4`,
    );
    expect(grafana).toBeUndefined();
  });
});

test("on this machine nothing is in between", async () => {
  const { observatory } = await engineAfter({ grafana: true });
  const { tunnel, prometheus, grafana } = observatory.access();
  expect(tunnel).toBeUndefined();
  expect([prometheus, grafana]).toEqual([observatory.url, observatory.grafana]);
});

test.each<[string, Asked, string]>([
  [
    "an interval longer than a run",
    { scrapeInterval: "15s" },
    "invalid-option: an observatory that scrapes every 15s sees too little of a run of 10s: its figures need two scrapes. Scrape more often, or measure for 30s or longer.",
  ],
  [
    "an interval of which one is in a run and a second is not",
    { scrapeInterval: "6s" },
    "invalid-option: an observatory that scrapes every 6s sees too little of a run of 10s: its figures need two scrapes. Scrape more often, or measure for 12s or longer.",
  ],
  [
    "an interval that is none",
    { scrapeInterval: "1" as "1s" },
    'invalid-option: an observatory cannot scrape every "1"; give a duration from "100ms", such as "1s".',
  ],
  [
    "a figure nobody declares",
    { figures: ["gateway-reqests"] },
    'unknown-figure: the figure "gateway-reqests" is declared by nothing that is watched. Known: gateway-requests, local-host-cpu, local-host-memory. Choose one of them, or give a query of your own.',
  ],
  [
    "a query that is no PromQL",
    { queries: [{ ...counted, name: "mine", query: "sum(requests_total" }] },
    'invalid-figure: the figure "mine" of the user has a query that is no PromQL: its end is missing: sum(requests_total',
  ],
  [
    "a name that is taken",
    { queries: [counted] },
    'invalid-figure: two figures are named "gateway-requests", of gateway telling and of the user. Give one another name.',
  ],
  [
    "a gateway's own query that is no PromQL",
    { adapter: exposing([{ ...counted, query: "requests_total{$gateway" }]) },
    'invalid-figure: the figure "gateway-requests" of gateway telling has a query that is no PromQL: its end is missing: requests_total{job="gateway"',
  ],
  [
    "series of a generator that sends none",
    { remoteWrite: true },
    "invalid-option: remoteWrite is asked for, and fake-load sends no series of its own. Choose a generator that does, or leave it out.",
  ],
  [
    "gateways it does not watch",
    { isBlind: true },
    [
      "invalid-option: the benchmark loads gateway telling, which its observatory does not watch. It watches: upstream upstream, generator load. Add it there.",
      "invalid-option: the benchmark loads gateway silent, which its observatory does not watch. It watches: upstream upstream, generator load. Add it there.",
    ].join("\n"),
  ],
])("%s is refused in one line before the benchmark is there", async (_, asked, line) =>
  expect(await refusal(asked)).toBe(line),
);
