import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resultOf, statusRange, type Scenario } from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { envoy, nginx } from "@gatebench/gateways";
import { hey, wrk } from "@gatebench/generators";
import { declare, leftBehind, observe, openRig, plain, type Bench, type Rig, type Seen } from "./rig";

jest.setTimeout(240_000);

/** What may be under way when a generator stops: the most by which honest counters differ. */
const inFlight = 8;
const load = { model: "closed", connections: inFlight, duration: "1s" } as const;
const perRequest = { ...load, connection: "per-request" } as const;

const secure: Scenario = { name: "tls", scheme: "https" };
/** Too high to be met by the probes, low enough to be met by any load. */
const limited: Scenario = {
  name: "limited",
  rateLimit: { requests: 500, per: "1s", scope: "gateway", store: "local" },
};
const many: Scenario = { name: "many", routes: 100, consumers: 100, auth: "key" };
const balanced: Scenario = { name: "balanced", balancing: "round-robin" };

const counting = wrk({ countStatuses: true });
const benches = {
  "kept-wrk": { load, targets: both(plain), generator: counting },
  "kept-hey": { load, targets: both(plain), generator: hey() },
  "tls-wrk": { load: perRequest, targets: both(secure), generator: counting },
  "tls-hey": { load: perRequest, targets: both(secure), generator: hey() },
  "limited-wrk": { load, targets: both(limited), generator: counting },
  "limited-hey": { load, targets: both(limited), generator: hey() },
  "many-wrk": { load, targets: both(many), generator: counting },
  "balanced-wrk": { load, targets: both(balanced), generator: counting, upstream: { count: 2 } },
} satisfies Readonly<Record<string, Bench>>;
type BenchName = keyof typeof benches;

function both(scenario: Scenario): Bench["targets"] {
  return { nginx: { adapter: nginx(), scenario }, envoy: { adapter: envoy(), scenario } };
}

let rig: Rig;
const seen = {} as Record<BenchName, Seen>;
const folders = new Map<string, string>();

beforeAll(async () => {
  rig = await openRig("counters");
  await rig.up(async () => {
    const site = new LocalTopology("site");
    for (const [name, bench] of Object.entries(benches) as [BenchName, Bench][]) {
      const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
      const benchmark = declare({ ...bench, name, protocol }, site);
      observe(benchmark, (seen[name] = { runs: [], verifications: {}, cells: {}, summary: "" }));
      for (const { run, folder } of benchmark.runs)
        run.apply((known) => folder.apply((path) => known && path && folders.set(known.id, path)));
    }
  });
});

afterAll(async () => {
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});

const gatewayNames = ["nginx", "envoy"] as const;
const combinations = (...names: readonly BenchName[]) =>
  names.flatMap((bench) => gatewayNames.map((gateway) => ({ bench, gateway })));

/** The only run of a target, with every counter there. */
function counted(bench: BenchName, gateway: string) {
  const run = seen[bench].runs.find(({ target }) => target === gateway);
  const result = run && resultOf(run);
  if (!result)
    throw new Error(`${bench}/${gateway}: ${JSON.stringify(run?.outcome ?? seen[bench].verifications[gateway])}`);
  const { gateway: ofGateway, upstream: ofUpstream } = run.counters ?? {};
  return { run, result, ofGateway: ofGateway ?? {}, ofUpstream: ofUpstream ?? {} };
}

function expectWithin(left: number | undefined, right: number | undefined, allowed = inFlight): void {
  expect(Math.abs((left ?? NaN) - (right ?? NaN))).toBeLessThanOrEqual(allowed);
}

/** Counts by the first digit of the status, as the coarsest of all counters states them. */
function byClass(statuses: Readonly<Record<string, number>> = {}): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [key, count] of Object.entries(statuses)) {
    const digit = String(statusRange(key)[0])[0] as string;
    if (count > 0) sums[digit] = (sums[digit] ?? 0) + count;
  }
  return sums;
}

test.each(combinations("kept-wrk", "kept-hey", "tls-wrk", "tls-hey", "many-wrk", "balanced-wrk"))(
  "generator, gateway and upstream count the same responses: $bench, $gateway",
  ({ bench, gateway }) => {
    const { run, result, ofGateway, ofUpstream } = counted(bench, gateway);
    expect(result.responses).toBeGreaterThan(100);
    expect(result.errors).toEqual({});
    expectWithin(result.responses, ofGateway.requests);
    expectWithin(ofGateway.requests, ofUpstream.requests);
    expect(byClass(result.statuses)).toEqual({ 2: result.responses });
    expectWithin(byClass(ofGateway.statuses)[2], result.responses);
    expectWithin(byClass(ofUpstream.statuses)[2], result.responses);
    expect(Object.keys(byClass(ofGateway.statuses))).toEqual(["2"]);
    expect(run.warnings.filter(({ cap }) => cap === "invalid")).toEqual([]);
  },
);

test.each(combinations("kept-wrk", "kept-hey", "many-wrk", "balanced-wrk"))(
  "kept connections are few: $bench, $gateway",
  ({ bench, gateway }) => {
    const { result, ofGateway, ofUpstream } = counted(bench, gateway);
    // hey opens some more than it keeps, and each upstream has a pool of its own.
    expect(ofGateway.connections).toBeLessThanOrEqual(2 * inFlight + 1);
    expect(ofUpstream.connections).toBeLessThanOrEqual(4 * inFlight);
    expect(ofUpstream.connections).toBeLessThan(result.responses / 10);
  },
);

test.each(combinations("tls-wrk", "tls-hey"))(
  "a connection for each request is a TLS transaction for each response: $bench, $gateway",
  ({ bench, gateway }) => {
    const { run, result, ofGateway, ofUpstream } = counted(bench, gateway);
    const looks = bench === "tls-wrk" ? 1 : 0;
    expectWithin(ofGateway.connections, result.responses, inFlight + looks);
    expectWithin(ofGateway.handshakes ?? ofGateway.connections, result.responses, inFlight + looks);
    expect(ofGateway.resumptions ?? 0).toBe(0);
    expect(ofUpstream.connections).toBeLessThan(4 * inFlight);
    expect(run.tlsTps).toBeCloseTo(result.responses / result.durationS, 6);
    expect(seen[bench].cells[gateway]?.tlsTps).toBe(run.tlsTps);
    expect(seen[bench].cells[gateway]?.verdict.tlsTps).toBe("indicative");
  },
);

test.each(combinations("limited-wrk", "limited-hey"))(
  "what a limit refuses is counted by generator and gateway alike and never reaches the upstream: $bench, $gateway",
  ({ bench, gateway }) => {
    const { run, result, ofGateway, ofUpstream } = counted(bench, gateway);
    const refused = result.statuses["429"] ?? 0;
    const good = result.statuses["200"] ?? 0;
    expect(refused).toBeGreaterThan(inFlight);
    expect(good + refused).toBe(result.responses);
    // A bucket full at the start and filled again for a second or a little more.
    expect(good).toBeGreaterThanOrEqual(500);
    expect(good).toBeLessThanOrEqual(500 * (2 + Math.ceil(result.durationS)));
    expectWithin(ofGateway.requests, result.responses);
    expectWithin(byClass(ofGateway.statuses)[4], refused);
    expectWithin(byClass(ofGateway.statuses)[2], good);
    expectWithin(ofUpstream.requests, good);
    expect(byClass(ofUpstream.statuses)[4]).toBeUndefined();
    expect(result.rps).toBeCloseTo(good / result.durationS, 6);
    expect(run.warnings.filter(({ cap }) => cap === "invalid")).toEqual([]);
  },
);

test.each(gatewayNames)("two upstreams add up and share evenly: %s", (gateway) => {
  const { run, result, ofUpstream } = counted("balanced-wrk", gateway);
  const each = requestsByUpstream(folders.get(run.id) as string);
  expect(each).toHaveLength(2);
  const [left, right] = each as [number, number];
  expect(left + right).toBe(ofUpstream.requests);
  expectWithin(left + right, result.responses);
  expect(Math.abs(left - right)).toBeLessThanOrEqual(0.01 * (left + right));
});

interface Pages {
  readonly upstream: readonly (readonly string[])[];
}

/** What each upstream's own page counted over a run, from the raw output. */
function requestsByUpstream(folder: string): readonly number[] {
  const raw = JSON.parse(readFileSync(join(folder, "counters.json"), "utf8")) as {
    readonly before: Pages;
    readonly after: Pages;
    readonly readings: number;
  };
  const total = (texts: readonly string[] | undefined) =>
    Number(/^\s*\d+ \d+ (\d+)/m.exec(texts?.join("\n") ?? "")?.[1]);
  const own = ({ length }: readonly string[]) => length * raw.readings;
  return raw.after.upstream.map((texts, index) => total(texts) - total(raw.before.upstream[index]) - own(texts));
}

const heyRefuses =
  "unsupported-request: hey sends one request over and over, and this target has 100 (routes × consumers). " +
  "Choose a generator that sends many, or a scenario with one route and consumer.";

test("a generator of one request is refused for 100 routes and consumers, with what to do instead", async () => {
  const refused = await openRig("refused");
  const planning = jest.fn(() => void declare({ targets: both(many), generator: hey() }, new LocalTopology("site")));
  await refused.stack.preview({ program: async () => expect(planning).toThrow(heyRefuses) });
  expect(planning).toHaveBeenCalled();
  await refused.destroy();
});
