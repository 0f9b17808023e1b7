/** Types, names and wiring of the components, as the engine is told them. */
import * as pulumi from "@pulumi/pulumi";
import { addressOf, type JobOutput, type Load, type Scenario } from "../contract";
import {
  isSecret,
  material,
  MockedEngine,
  orderIn,
  plain,
  valuesIn,
  verbOf,
  type Registered,
} from "../hosts/mocked-engine";
import { repeat } from "../measure";
import { fakeGateway, fakeGenerator, fakeOutput } from "../testing";
import { LocalTopology } from "../topologies/local-topology";
import { SshTopology, type SshMachine as M } from "../topologies/ssh-topology";
import { containerUpstream, goBenchSuite, staticPayload } from "../upstreams";
import { Benchmark, type BenchmarkArgs } from "./benchmark";
import { GatewayUnderTest } from "./gateway-under-test";
import { LoadGenerator } from "./load-generator";
import { UpstreamHost } from "./upstream-host";

/** The live laws have tests of their own; here a job's output says which of them are broken. */
jest.mock("../laws", () => ({
  ...jest.requireActual<object>("../laws"),
  verificationOf: (target: string, _: unknown, __: unknown, { stdout }: JobOutput) => ({
    target,
    laws: [
      {
        law: "keeps the law",
        finding: stdout === "held" ? { verdict: "held" } : { verdict: "broken", reason: stdout },
      },
    ],
  }),
}));

const plainScenario: Scenario = { name: "plain" };
const withKey: Scenario = { name: "key-auth", auth: "key" };
const load: Load = { model: "closed", connections: 8, duration: "10s" };
const threeRuns = repeat({ runs: 2, warmUp: "1s", coolDown: "3s" });
const held = (stdout: string): JobOutput => ({ stdout, stderr: "", files: {}, exitCode: 0 });
const isVerification = ({ label }: { readonly label: string }) => label.includes(": verifies ");

/** Every law held, every run ordinary. */
const ordinary = (order: { readonly label: string }) => (isVerification(order) ? held("held") : fakeOutput());

/** Ports of these tests' own, whoever else measures on this machine. */
const portBase = 14_400;
const here = () => new LocalTopology("site", { portBase });

interface Bench extends Partial<BenchmarkArgs> {
  readonly gateways?: Readonly<Record<string, Scenario>>;
  readonly gateway?: ReturnType<typeof fakeGateway>;
}

function declare(
  { gateways = { one: plainScenario, two: withKey }, gateway = fakeGateway(), ...rest }: Bench = {},
  site = here(),
  name = "bench",
) {
  const upstream = new UpstreamHost(`${name}-upstream`, { host: site.upstream, app: staticPayload() });
  const targets = Object.fromEntries(
    Object.entries(gateways).map(([target, scenario]) => [
      target,
      new GatewayUnderTest(`${name}-${target}`, { host: site.gateway, adapter: gateway, upstream, scenario }),
    ]),
  );
  const generator = new LoadGenerator(`${name}-load`, { host: site.generator, adapter: fakeGenerator() });
  return new Benchmark(name, { generator, targets, load, protocol: threeRuns, ...rest });
}

async function engineAfter(program: () => unknown, answer = ordinary, preview = false): Promise<MockedEngine> {
  const engine = new MockedEngine(answer);
  await engine.run(program, { preview });
  return engine;
}

/** Registrations of independent resources come in no particular order. */
const sorted = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(" ")).sort();
const commands = ({ registered }: MockedEngine) => registered.filter(({ type }) => type === "command:local:Command");
const withVerb = (engine: MockedEngine, verb: string) =>
  commands(engine).filter(({ inputs }) => verbOf(inputs) === verb);
const stdinOf = ({ inputs }: Registered) => plain(inputs.stdin) as string;
const orderOf = (one: Registered) => orderIn(stdinOf(one));

test("what is asked for behind a route is the scenario's own path, or what the upstream answers", async () => {
  const aims: string[] = [];
  await engineAfter(() => {
    const site = new LocalTopology("site");
    const upstream = new UpstreamHost("upstream", { host: site.upstream, app: goBenchSuite() });
    const under = { host: site.gateway, adapter: fakeGateway(), upstream };
    const posted = { name: "posted", request: { method: "POST", path: "/echo", body: "{}" } } as const;
    const own = new GatewayUnderTest("own", { ...under, scenario: { name: "plain" } });
    const asked = new GatewayUnderTest("asked", { ...under, scenario: posted });
    aims.push(...[own, asked].map(({ aim }) => aim.requests[0]?.path ?? ""));
    expect([own.live.payload, asked.live.payload]).toEqual([expect.anything(), undefined]);
  });
  expect(aims).toEqual([expect.stringMatching(/\/json\/valid$/), expect.stringMatching(/\/echo$/)]);
});

describe("what is registered", () => {
  let engine: MockedEngine;
  beforeAll(async () => void (engine = await engineAfter(() => declare())));

  test("components go by the tokens of the package", () => {
    const components = engine.registered.filter(({ type }) => type.startsWith("gatebench:"));
    expect(sorted(components.map(({ type, name, parent }) => [type, name, parent]))).toEqual(
      sorted([
        ["gatebench:index:LocalTopology", "site", ""],
        ["gatebench:index:Credentials", "site-credentials", "site"],
        ["gatebench:index:LocalHost", "site-host", "site"],
        ["gatebench:index:UpstreamHost", "bench-upstream", ""],
        ["gatebench:index:GatewayUnderTest", "bench-one", ""],
        ["gatebench:index:GatewayUnderTest", "bench-two", ""],
        ["gatebench:index:LoadGenerator", "bench-load", ""],
        ["gatebench:index:Benchmark", "bench", ""],
      ]),
    );
  });

  test("every command is a child of the component it serves, and is named after it", () => {
    const found = commands(engine).map(({ name, parent, inputs }) => [name, parent, verbOf(inputs)]);
    expect(sorted(found)).toEqual(
      sorted([
        ["site-credentials-material", "site-credentials", "make-material"],
        ["site-host-place", "site-host", "open-place"],
        ["bench-upstream-upstream-1", "bench-upstream", "start-workload"],
        ["bench-one-fake", "bench-one", "start-workload"],
        ["bench-two-fake", "bench-two", "start-workload"],
        ["bench-session", "bench", "open-session"],
        ["bench-one-values", "bench", "keep-values"],
        ["bench-one-verify", "bench", "run-job"],
        ["bench-two-values", "bench", "keep-values"],
        ["bench-two-verify", "bench", "run-job"],
        ...[1, 2, 3].flatMap((run) => ["one", "two"].map((name) => [`bench-${name}-${run}`, "bench", "run-job"])),
      ]),
    );
  });

  test("what the engine stores of a component's arguments is a small plain record", () => {
    expect(engine.named("bench").inputs).toEqual({
      generator: "fake-load",
      targets: ["one", "two"],
      load,
      protocol: threeRuns.name,
      seed: 1,
      runId: "1",
    });
    expect(engine.named("bench-two").inputs).toEqual({ gateway: "fake", version: "1.0.0", scenario: withKey });
    expect(engine.named("bench-load").inputs).toEqual({ generator: "fake-load", version: "1.0.0" });
    expect(engine.named("bench-upstream").inputs).toMatchObject({ app: "static-payload", behaviour: { count: 1 } });
    expect(engine.named("site-credentials").inputs).toEqual({});
    expect(engine.named("site-host").inputs).toEqual({});
    expect(engine.named("site").inputs).toEqual({ portBase });
  });

  test("each component registers what its owner may want to know, and no more", () => {
    const keys = (name: string) => Object.keys(engine.named(name).outputs ?? {}).sort();
    expect(keys("bench")).toEqual(["p99Ms", "rps", "summary", "tlsTps", "verdict"]);
    expect(keys("bench-one")).toEqual(["identity", "version"]);
    expect(keys("bench-upstream")).toEqual(["identity"]);
    expect(keys("site-host")).toEqual(["identity"]);
    expect(keys("bench-load")).toEqual([]);
  });

  test("the benchmark states the figures of its first gateway", () => {
    expect(engine.named("bench").outputs).toMatchObject({ rps: 1000, p99Ms: 2, tlsTps: null });
    expect(engine.named("bench").outputs?.summary).toMatch(/^fake \(plain\): 1000 rps \[\w+\], 2.00 ms P99 \[\w+\]\n/);
  });

  test("a command's text is the same for all of its kind and holds no value", () => {
    const texts = (verb: string) => new Set(withVerb(engine, verb).map(({ inputs }) => plain(inputs.create)));
    for (const verb of ["start-workload", "run-job", "keep-values", "open-session"]) expect(texts(verb).size).toBe(1);
    for (const { inputs } of commands(engine)) {
      const text = JSON.stringify([inputs.create, inputs.update, inputs.delete, inputs.environment]);
      expect(text).not.toMatch(/127\.0\.0\.1|the-|bench-|site-/);
      expect(inputs.environment).toBeUndefined();
    }
  });

  test("what may hold a value travels as a secret on standard input, and nothing else is one", () => {
    const secret = commands(engine).filter(({ inputs }) => isSecret(inputs.stdin));
    expect(new Set(secret.map(({ inputs }) => verbOf(inputs)))).toEqual(new Set(["start-workload", "keep-values"]));
    expect(secret.length).toBe(withVerb(engine, "start-workload").length + withVerb(engine, "keep-values").length);
    expect(Object.keys(valuesIn(engine.named("bench-two-values").inputs.stdin))).toEqual(["consumer-1.key"]);
    expect(valuesIn(engine.named("bench-one-values").inputs.stdin)).toEqual({});
  });

  test("no value stands anywhere but in a secret", () => {
    const [value] = Object.values(valuesIn(engine.named("bench-two-values").inputs.stdin));
    const clear = (given: unknown) => JSON.stringify(given, (_, part: unknown) => (isSecret(part) ? null : part));
    for (const { inputs, outputs } of engine.registered)
      for (const hidden of [value as string, ...Object.values(material)])
        expect(clear([inputs, outputs])).not.toContain(hidden);
  });

  test("a run is triggered by its id alone, so that an order that says the same is never carried out twice", () => {
    for (const one of withVerb(engine, "run-job")) expect(one.inputs.triggers).toEqual([orderOf(one).id]);
    expect(engine.named("bench-session").inputs.triggers).toEqual(["the-place", "1"]);
    for (const { inputs } of withVerb(engine, "start-workload"))
      expect(inputs.triggers).toEqual([(JSON.parse(plain(inputs.stdin) as string) as { identity: string }).identity]);
  });

  test("what takes a port or a name goes before its replacement comes, and jobs go with their session", () => {
    const first = commands(engine).filter(({ deleteBeforeReplace }) => deleteBeforeReplace);
    expect(new Set(first.map(({ inputs }) => verbOf(inputs)))).toEqual(
      new Set(["open-place", "start-workload", "open-session", "run-job"]),
    );
    for (const { deletedWith } of [...withVerb(engine, "run-job"), ...withVerb(engine, "keep-values")])
      expect(deletedWith).toBe("bench-session");
  });

  test("targets are verified one after another, and all of them before the first run", () => {
    expect(engine.named("bench-one-verify").dependsOn).toContain("bench-one-values");
    expect(engine.named("bench-two-verify").dependsOn).toContain("bench-one-verify");
    expect(engine.named(runNames(engine)[0] as string).dependsOn).toContain("bench-two-verify");
  });

  test("runs follow one another in rounds", () => {
    const names = runNames(engine);
    names.slice(1).forEach((name, index) => expect(engine.named(name).dependsOn).toContain(names[index]));
    for (const round of [1, 2, 3])
      expect(names.slice(2 * round - 2, 2 * round).sort()).toEqual([`bench-one-${round}`, `bench-two-${round}`]);
  });

  test("ids form a chain for each target, through what each run really was", () => {
    const [first, second] = ["bench-one-1", "bench-one-2"].map((name) => orderOf(engine.named(name)));
    expect(first?.id).not.toBe(second?.id);
    expect(new Set(withVerb(engine, "run-job").map((one) => orderOf(one).id)).size).toBe(8);
  });

  test("the order is the load, said so that a person knows what runs", () => {
    expect(orderOf(engine.named("bench-two-1"))).toMatchObject({
      label: "bench: fake-load → two, run 1 (warm-up)",
      session: "bench",
      vault: "two",
      job: { command: ["fake-load", expect.stringContaining('"duration":"1s"'), expect.any(String)] },
    });
    expect(orderOf(engine.named("bench-one-2"))).toMatchObject({
      label: "bench: fake-load → one, run 2 (measure)",
      coolDownS: 3,
      watched: [{ role: "upstream" }, { role: "gateway" }],
    });
  });
});

/** In the order in which they were planned. */
const runNames = (engine: MockedEngine): readonly string[] =>
  withVerb(engine, "run-job")
    .map(({ name }) => name)
    .filter((name) => !name.endsWith("-verify"));

test("the seed decides the order of targets in each round, and nothing else does", async () => {
  const four = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, plainScenario]));
  const orderWith = async (seed: number) => runNames(await engineAfter(() => declare({ gateways: four, seed })));
  const [one, again, other] = [await orderWith(1), await orderWith(1), await orderWith(2)];
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  const rounds = [one.slice(0, 4), one.slice(4, 8), one.slice(8)].map((round) => round.map((name) => name[6]));
  expect(rounds.map((round) => [...round].sort().join(""))).toEqual(["abcd", "abcd", "abcd"]);
  expect(new Set(rounds.map((round) => round.join(""))).size).toBeGreaterThan(1);
});

test("a second benchmark of a topology waits for the first, and is not measured again because of it", async () => {
  const two = (first: Bench) => () => {
    const site = here();
    declare({ gateways: { one: plainScenario }, ...first }, site, "first");
    declare({ gateways: { one: plainScenario } }, site, "second");
  };
  const [engine, changed] = [await engineAfter(two({})), await engineAfter(two({ load: { ...load, connections: 9 } }))];
  expect(engine.named("second-one-verify").dependsOn).toContain("first-one-3");
  const idsIn = (of: MockedEngine) => ["second-one-verify", "second-one-1"].map((name) => orderOf(of.named(name)).id);
  expect(idsIn(changed)).toEqual(idsIn(engine));
});

test("a gateway that fails verification is never measured, and says why", async () => {
  const answer = (order: { readonly label: string }) =>
    isVerification(order) && order.label.endsWith("two") ? held("it answers everybody") : ordinary(order);
  const engine = await engineAfter(() => declare(), answer);
  for (const run of [1, 2, 3]) {
    expect(stdinOf(engine.named(`bench-two-${run}`))).toBe("done\n");
    expect(orderOf(engine.named(`bench-one-${run}`)).id).toBeTruthy();
  }
  expect(engine.named("bench").outputs?.summary).toContain(
    "verification-failed: the gateway does not do what the scenario asks: keeps the law: it answers everybody",
  );
});

test("a protocol that has its answer leaves the rest of its runs undone", async () => {
  const once = {
    ...threeRuns,
    maxRuns: 3,
    next: (asked: Load, { length }: { length: number }) =>
      length === 0 ? { load: asked, purpose: "measure" as const } : undefined,
  };
  const engine = await engineAfter(() => declare({ gateways: { one: plainScenario }, protocol: once }));
  expect(runNames(engine).map((name) => stdinOf(engine.named(name)) === "done\n")).toEqual([false, true, true]);
});

test("raw output is brought to the results folder after each run and before the next, and changes no run", async () => {
  const [engine, without] = [await engineAfter(() => declare({ results: "/results" })), await engineAfter(declare)];
  const names = runNames(engine);
  for (const [index, name] of names.entries()) {
    const collected = engine.named(`${name}-artifacts`);
    expect(verbOf(collected.inputs)).toBe("collect-artifacts");
    expect(collected.dependsOn).toContain(name);
    if (index > 0) expect(engine.named(name).dependsOn).toContain(`${names[index - 1]}-artifacts`);
    const { id } = orderOf(engine.named(name));
    const target = name.split("-")[1];
    expect(isSecret(collected.inputs.stdin)).toBe(true);
    expect(JSON.parse(stdinOf(collected).replace("order\n", ""))).toEqual({
      ...{ label: "local", folder: `/jobs/${id}`, artifacts: [{ path: "stdout", bytes: 8, sha256: "the-sum" }] },
      to: `/results/raw/bench/${target}/00${index + 1}-execution of ${id}`,
    });
    expect(plain(collected.inputs.triggers)).toEqual([`execution of ${id}`]);
  }
  const idsOf = (of: MockedEngine) => runNames(of).map((name) => orderOf(of.named(name)).id);
  expect(idsOf(without)).toEqual(idsOf(engine));
  expect(without.registered.filter(({ name }) => name.endsWith("-artifacts"))).toEqual([]);
});

test("a run that was left out brings no output", async () => {
  const never = { ...threeRuns, next: () => undefined };
  const engine = await engineAfter(() => declare({ protocol: never, results: "/results" }));
  for (const name of runNames(engine)) expect(stdinOf(engine.named(`${name}-artifacts`))).toBe("done\n");
});

test("raising the limit of a protocol repeats nothing", async () => {
  const idsWith = async (runs: number) => {
    const engine = await engineAfter(() => declare({ protocol: repeat({ runs, warmUp: "1s", coolDown: "3s" }) }));
    return Object.fromEntries(withVerb(engine, "run-job").map((one) => [one.name, orderOf(one).id]));
  };
  expect(await idsWith(4)).toMatchObject(await idsWith(2));
});

test("another run id makes another session, in which everything runs again", async () => {
  const engine = await engineAfter(() => declare({ runId: "2" }));
  expect(engine.named("bench-session").inputs.triggers).toEqual(["the-place", "2"]);
});

test("a preview plans every run of every target, though nothing is known", async () => {
  const engine = await engineAfter(() => declare(), ordinary, true);
  expect(engine.names("command:local:Command").filter((name) => /^bench-(one|two)-\d$/.test(name))).toHaveLength(
    2 * threeRuns.maxRuns,
  );
  expect(engine.names("gatebench:index:Benchmark")).toEqual(["bench"]);
});

test("a target more moves the ports of no other", async () => {
  const portsWith = async (names: readonly string[]) => {
    const engine = await engineAfter(() =>
      declare({ gateways: Object.fromEntries(names.map((name) => [name, plainScenario])) }),
    );
    return Object.fromEntries(
      withVerb(engine, "start-workload").map((one) => [
        one.name,
        (JSON.parse(stdinOf(one)) as { workload: { ports: object } }).workload.ports,
      ]),
    );
  };
  const few = await portsWith(["one", "two"]);
  expect(await portsWith(["zero", "one", "three", "two"])).toMatchObject(few);
  expect(Object.keys(few)).toHaveLength(3);
});

describe("a generator of several parts", () => {
  const part = (name: string, more = {}) => ({
    ...{ name, role: "generator" as const, image: "fake:1.0.0", command: ["fake-part", name], ports: {} },
    ...more,
  });
  const distributed = (version = "1") =>
    fakeGenerator({
      reports: { ...fakeGenerator().reports, distributed: "required" },
      ports: ["coordinator"],
      crew: ({ ports, workers }) => ({
        services: [part("controller", { ports, readiness: { port: ports.coordinator } })],
        workers: [part("agent", { command: ["fake-part", addressOf("generator"), version, `${workers}`] })],
      }),
    });
  const declared = (version?: string) => () => {
    const site = new LocalTopology("site", { portBase, workers: 2 });
    const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
    const target = new GatewayUnderTest("gateway", {
      ...{ host: site.gateway, adapter: fakeGateway(), upstream, scenario: plainScenario },
    });
    const { generator: host, workers } = site;
    const generator = new LoadGenerator("load", { host, adapter: distributed(version), workers });
    new Benchmark("bench", { generator, target, load, protocol: threeRuns });
  };
  const workloadIn = (one: Registered) =>
    JSON.parse(stdinOf(one)) as { place: string; workload: { command: string[] } };

  test("has its services on its host and its workers each on theirs, after the services", async () => {
    const engine = await engineAfter(declared());
    const crew = ["load-controller", "load-worker-1-agent", "load-worker-2-agent"].map((name) => engine.named(name));
    expect(crew.map(({ parent }) => parent)).toEqual(["load", "load", "load"]);
    const places = crew.map((one) => workloadIn(one).place.replace(/-[0-9a-f]{8}$/, ""));
    expect(places).toEqual(["site-host", "site-worker-1", "site-worker-2"].map((name) => `project-stack-${name}`));
    expect(crew[1]?.dependsOn).toContain("load-controller");
    expect(workloadIn(crew[1] as Registered).workload.command).toEqual(["fake-part", "127.0.0.1", "1", "2"]);
    expect(engine.named("load").inputs).toMatchObject({ workers: ["local", "local"] });
  });

  test("has workers on other machines, which report to the address of its own", async () => {
    const machine = (number: number) => ({
      ...{ host: `203.0.113.${number}`, user: "me", privateKey: "the-key", address: `10.0.0.${number}`, cpus: 2 },
    });
    const engine = await engineAfter(() => {
      const [upstream, gateway, host, worker] = [1, 2, 3, 4].map(machine) as [M, M, M, M];
      const site = new SshTopology("rig", { upstream, gateway, generator: host, workers: [worker] });
      new LoadGenerator("load", { host: site.generator, adapter: distributed(), workers: site.workers });
    });
    const started = plain(engine.named("load-worker-1-agent").inputs.stdin) as string;
    expect(started).toContain('"10.0.0.3"');
    expect(started).not.toContain(addressOf("generator"));
  });

  test("is looked at before each run, and its CPU counted", async () => {
    const { probed, watched } = orderOf((await engineAfter(declared())).named("bench-fake-2"));
    expect(probed.map(({ name }) => name)).toContain("load-controller");
    expect(watched.filter(({ role }) => role === "generator").map(({ name }) => name)).toEqual([
      ...["load-controller", "load-worker-1-agent", "load-worker-2-agent"],
    ]);
  });

  test("tells its job of its ports and of how many workers there are", async () => {
    const { job } = orderOf((await engineAfter(declared())).named("bench-fake-1"));
    expect(JSON.parse(job.command[2] as string)).toMatchObject({
      workers: 2,
      ports: { coordinator: expect.any(Number) },
    });
  });

  test("runs again when a part of it is another, and verifies nothing again", async () => {
    const idsWith = async (version: string) => {
      const engine = await engineAfter(declared(version));
      return ["bench-fake-verify", "bench-fake-1"].map((name) => orderOf(engine.named(name)).id);
    };
    const [one, other] = [await idsWith("1"), await idsWith("2")];
    expect(other[0]).toBe(one[0]);
    expect(other[1]).not.toBe(one[1]);
  });
});

describe("an upstream on two hosts", () => {
  const asked = { upstream: { count: 3 } };
  let upstream: UpstreamHost;
  let gateway: GatewayUnderTest;
  let alone: GatewayUnderTest;
  let engine: MockedEngine;
  beforeAll(async () => {
    engine = await engineAfter(() => {
      const site = new LocalTopology("site", { portBase, workers: 2 });
      // Two hosts of this machine, each with a place of its own.
      upstream = new UpstreamHost("upstream", { host: site.workers, app: staticPayload(), behaviour: asked.upstream });
      const under = { host: site.gateway, adapter: fakeGateway() };
      gateway = new GatewayUnderTest("gateway", { ...under, upstream, scenario: plainScenario });
      alone = new GatewayUnderTest("alone", { ...under, upstream: upstream.first(1), scenario: plainScenario });
      const generator = new LoadGenerator("load", { host: site.generator, adapter: fakeGenerator() });
      new Benchmark("bench", { generator, targets: { gateway, alone }, load, protocol: threeRuns });
    });
  });
  const placeOf = (name: string) => (JSON.parse(stdinOf(engine.named(name))) as { place: string }).place;

  test("server i stands on host i modulo their number", () => {
    const servers = [1, 2, 3].map((number) => placeOf(`upstream-upstream-${number}`).replace(/-[0-9a-f]{8}$/, ""));
    expect(servers).toEqual(["site-worker-1", "site-worker-2", "site-worker-1"].map((host) => `project-stack-${host}`));
    expect(upstream.hosts.map(({ address }) => address)).toHaveLength(2);
    expect(upstream.host).toBe(upstream.hosts[0]);
  });

  test("a gateway stands before all of them, or the first few", () => {
    const upstreamsIn = ({ deployment }: GatewayUnderTest) => JSON.stringify(deployment).match(/"port\\":\d+/g) ?? [];
    expect([gateway, alone].map(({ scenario }) => scenario.upstream.count)).toEqual([3, 1]);
    expect(alone.deployment).not.toEqual(gateway.deployment);
    expect(upstreamsIn(alone).length).toBeLessThan(upstreamsIn(gateway).length);
    expect([gateway, alone].map(({ live }) => live.upstreams.length)).toEqual([3, 1]);
    expect(alone.upstream.hosts).toEqual([upstream.hosts[0]]);
  });

  test("each is looked at before a run, counted by itself, and watched", () => {
    const [ofAll, ofOne] = ["bench-gateway-2", "bench-alone-2"].map((name) => orderOf(engine.named(name)));
    expect(ofAll?.counted.upstream.map(({ pages }) => pages[0]?.port)).toEqual([
      ...new Set(ofAll?.counted.upstream.map(({ pages }) => pages[0]?.port)),
    ]);
    expect([ofAll, ofOne].map((order) => order?.counted.upstream.length)).toEqual([3, 1]);
    expect([ofAll, ofOne].map((order) => order?.probed.length)).toEqual([4, 2]);
    // Of several one may be lost; the gateway, or an upstream that stands alone, may not.
    expect([ofAll, ofOne].map((order) => order?.probed.map(({ oneOf }) => oneOf))).toEqual([
      [3, 3, 3, undefined],
      [undefined, undefined],
    ]);
    expect(ofAll?.watched.filter(({ role }) => role === "upstream")).toHaveLength(3);
  });

  test("an app that has one port for all can be there once on each of its hosts", async () => {
    const fixed = containerUpstream({ name: "app", image: "app:1.0.0", command: ["app"], port: 8080 });
    const on = (count: number) => () => {
      const { workers } = new LocalTopology("site", { portBase, workers: 2 });
      new UpstreamHost("upstream", { host: workers, app: fixed, behaviour: { count } });
    };
    await engineAfter(on(2));
    await new MockedEngine(ordinary).run(() =>
      expect(on(3)).toThrow(/the upstream app cannot be there 2 times on one host, because it always listens on 8080/),
    );
    await new MockedEngine(ordinary).run(() =>
      expect(() => new UpstreamHost("none", { host: [], app: fixed })).toThrow(
        'invalid-option: upstream "none" has no host to stand on; give it one, or several.',
      ),
    );
  });
});

test("the identity of a gateway follows what stands behind it", async () => {
  const identityWith = async (count: number) => {
    const engine = await engineAfter(() => {
      const site = here();
      const upstream = new UpstreamHost("upstream", {
        host: site.upstream,
        app: staticPayload(),
        behaviour: { count },
      });
      new GatewayUnderTest("gateway", {
        host: site.gateway,
        adapter: fakeGateway(),
        upstream,
        scenario: plainScenario,
      });
    });
    return engine.named("gateway").outputs?.identity;
  };
  const [one, again, two] = [await identityWith(1), await identityWith(1), await identityWith(2)];
  expect(again).toBe(one);
  expect(two).not.toBe(one);
});

describe("bad arguments", () => {
  /** The lines people see, and what had been registered of the component. */
  async function refused(program: () => unknown): Promise<{ readonly lines: string; readonly engine: MockedEngine }> {
    const engine = new MockedEngine(ordinary);
    let lines = "";
    await engine.run(() => {
      try {
        program();
      } catch (error) {
        if (!pulumi.RunError.isInstance(error)) throw error;
        lines = error.message;
      }
    });
    return { lines, engine };
  }

  const gateway = (args: { scenario?: Scenario; workers?: number; adapter?: ReturnType<typeof fakeGateway> }) => () => {
    const site = here();
    const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
    new GatewayUnderTest("gateway", {
      ...{ host: site.gateway, upstream, adapter: fakeGateway(), scenario: plainScenario },
      ...args,
    });
  };

  test("every policy a gateway has not is a line of its own, before the gateway is registered", async () => {
    const scenario: Scenario = { name: "much", auth: "jwt", analytics: true };
    const { lines, engine } = await refused(gateway({ scenario }));
    expect(lines.split("\n")).toEqual([
      'unsupported-policy: fake cannot enforce jwt in scenario "much". It enforces: key. Drop the policy, or leave fake out of this row of the matrix.',
      'unsupported-policy: fake cannot enforce analytics in scenario "much". It enforces: nothing. Drop the policy, or leave fake out of this row of the matrix.',
    ]);
    expect(engine.names("gatebench:index:GatewayUnderTest")).toEqual([]);
  });

  test("a scenario that contradicts itself, and workers there cannot be", async () => {
    expect((await refused(gateway({ scenario: { name: "none", routes: 0 } }))).lines).toMatch(
      /^invalid-scenario: scenario\.routes: .+\.$/,
    );
    expect((await refused(gateway({ workers: 0 }))).lines).toBe(
      "invalid-option: fake cannot have 0 workers; give a whole number from 1.",
    );
  });

  test("charts on a host that runs containers", async () => {
    const { render } = fakeGateway();
    const charted = fakeGateway({
      render: (scenario, site) => ({
        ...render(scenario, site),
        kind: "cluster",
        charts: [],
        manifests: [],
        pods: { namespace: "fake", labels: { app: "fake" }, container: "fake" },
        readiness: { port: site.ports.entry as number },
      }),
    });
    expect((await refused(gateway({ adapter: charted }))).lines).toBe(
      "unsupported-host: fake is a cluster deployment; host local runs containers. Give it a host that runs cluster.",
    );
  });

  test("an adapter that throws is named", async () => {
    const throwing = fakeGateway({
      render: () => {
        throw new TypeError("x is not a function");
      },
    });
    expect((await refused(gateway({ adapter: throwing }))).lines).toBe(
      'invalid-adapter: gateway fake cannot render scenario "plain": x is not a function',
    );
  });

  test("an upstream that cannot do what is asked of it", async () => {
    const { lines, engine } = await refused(() => {
      const site = here();
      new UpstreamHost("upstream", { host: site.upstream, app: staticPayload(), behaviour: { delay: "10ms" } });
    });
    expect(lines).toMatch(/^unsupported-policy: the upstream static-payload cannot wait 10ms/);
    expect(engine.names("gatebench:index:UpstreamHost")).toEqual([]);
  });

  test("an upstream that has no TLS, and one that does not answer the method", async () => {
    const { lines } = await refused(() => {
      new UpstreamHost("upstream", { host: here().upstream, app: goBenchSuite(), tls: true });
    });
    expect(lines).toMatch(/^unsupported-policy: the upstream go-bench-suite cannot serve a TLS profile/);
    const posted = await refused(() => {
      const site = here();
      const upstream = new UpstreamHost("upstream", { host: site.upstream, app: goBenchSuite() });
      const scenario: Scenario = { name: "post", request: { method: "POST", body: "x" } };
      new GatewayUnderTest("gateway", { host: site.gateway, upstream, adapter: fakeGateway(), scenario });
    });
    expect(posted.lines).toBe(
      'unsupported-policy: the upstream go-bench-suite does not answer POST at /json/valid, which scenario "post" asks for. It answers: GET. Change the method, or choose an upstream that answers it, such as static-payload.',
    );
  });

  test("workers for a generator that has none, and none for one that needs some", async () => {
    const made = (distributed: boolean | "required", count: number) => () => {
      const site = new LocalTopology("site", { portBase, workers: count });
      const adapter = fakeGenerator({ reports: { ...fakeGenerator().reports, distributed } });
      new LoadGenerator("load", { host: site.generator, adapter, workers: site.workers });
    };
    expect((await refused(made(false, 1))).lines).toBe(
      "invalid-option: fake-load sends a load by itself, and 1 hosts for workers were given. Leave workers out, or choose a generator that shares a load, such as locust.",
    );
    expect((await refused(made("required", 0))).lines).toBe(
      "invalid-option: fake-load sends nothing without workers. Give it at least one host for workers.",
    );
  });

  test("a load its generator cannot send, or that contradicts itself", async () => {
    const open = await refused(() =>
      declare({ load: { model: "open", ratePerS: 10, maxInFlight: 1, duration: "5s" } }),
    );
    expect(open.lines).toBe(
      'unsupported-load: fake-load cannot send a load of model "open". It can: closed. Choose one of these, or another generator.',
    );
    const threads = await refused(() => declare({ load: { ...load, connections: 2, threads: 4 } as Load }));
    expect(threads.lines).toBe(
      "invalid-load: 4 threads cannot share 2 connections: each thread needs at least one. Give at most 2 threads.",
    );
    for (const { engine } of [open, threads]) {
      expect(engine.names("gatebench:index:Benchmark")).toEqual([]);
      expect(withVerb(engine, "run-job")).toEqual([]);
    }
  });

  test("a benchmark of nothing", async () => {
    expect((await refused(() => declare({ gateways: {} }))).lines).toBe(
      'invalid-option: benchmark "bench" has nothing to measure; give it target, or targets by name.',
    );
  });
});
