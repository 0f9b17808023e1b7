import assert from "node:assert/strict";
import {
  expectedResponses,
  loadResultSchema,
  secondsOf,
  statusRange,
  unknownReferences,
  unsupportedLoad,
  type Asked,
  type GeneratorAdapter,
  type GeneratorPlan,
  type JobOutput,
  type Load,
  type LoadResult,
  type RequestSpec,
  type Target,
} from "../contract";

/** One real output of the tool, and what the server counted meanwhile. */
export interface GeneratorRecording {
  readonly name: string;
  readonly output: JobOutput;
  readonly asked?: Asked;
  readonly truth: {
    readonly requests: number;
    readonly statuses: Readonly<Record<string, number>>;
    readonly connections?: number;
    /** By how many the tool's counts may differ: requests under way when it stopped. */
    readonly inFlight: number;
  };
  /** Figures known to stand in the output. */
  readonly expect?: Partial<LoadResult>;
  /** Numbers that stand in the output once and that nothing else in it depends on: no reader can tell when they are changed. */
  readonly uncheckable?: RegExp;
}

/**
 * Something every generator adapter must do. Data and assertions only, so that any test runner can use it; `check`
 * throws where the law is broken.
 */
export interface GeneratorLaw {
  /** A sentence. */
  readonly name: string;
  check(adapter: GeneratorAdapter, recordings: readonly GeneratorRecording[]): void;
}

/** A law about the figures of each recording. */
function ofResults(name: string, check: (result: LoadResult, given: GeneratorRecording) => void): GeneratorLaw {
  return law(name, (adapter, given) => check(adapter.parse(given.output, given.asked), given));
}

/** A law about each recording. */
function law(name: string, check: (adapter: GeneratorAdapter, given: GeneratorRecording) => void): GeneratorLaw {
  return { name, check: (adapter, recordings) => recordings.forEach((given) => check(adapter, given)) };
}

/** A law about the plan of each load the generator claims. */
function ofPlans(
  name: string,
  check: (adapter: GeneratorAdapter, plan: GeneratorPlan, load: Load, target: Target) => void,
): GeneratorLaw {
  const each = (adapter: GeneratorAdapter, load: Load) =>
    targets(adapter).forEach((target) => check(adapter, adapter.plan(load, target), load, target));
  return { name, check: (adapter) => claimedLoads(adapter).forEach((load) => each(adapter, load)) };
}

export const generatorLaws: readonly GeneratorLaw[] = [
  ofResults("counts what the server counted, but for what was in flight", ({ responses, errors }, { name, truth }) => {
    const apart = Math.abs(truth.requests - responses);
    assert.ok(apart <= unseen(truth, errors), `${name}: ${responses} responses, ${truth.requests} requests`);
  }),
  ofResults("states the statuses the server gave", ({ statuses, errors, caveats }, { name, truth }) => {
    for (const [key, count] of caveats.includes("status-cap") ? [] : Object.entries(statuses)) {
      const given = countOf(truth.statuses, statusRange(key));
      const apart = Math.abs(given - count);
      assert.ok(apart <= unseen(truth, errors), `${name}: ${count} responses with ${key}, server ${given}`);
    }
  }),
  ofResults("leaves no status out", ({ statuses, responses, caveats }, { name }) => {
    const told = countOf(statuses, [0, 999]);
    assert.ok(told === responses || caveats.includes("status-cap"), `${name}: ${told} statuses of ${responses}`);
  }),
  ofResults("opened the connections the server saw", ({ connectionsOpened }, { name, truth }) => {
    if (connectionsOpened === undefined || truth.connections === undefined) return;
    assert.ok(Math.abs(connectionsOpened - truth.connections) <= truth.inFlight, `${name}: ${connectionsOpened}`);
  }),
  ofResults("reads the figures that stand in the output", (result, { name, expect = {} }) => {
    for (const [figure, value] of Object.entries(expect)) {
      assert.deepStrictEqual(result[figure as keyof LoadResult], value, `${name}: ${figure}`);
    }
  }),
  ofResults("states responses with an expected status per second", (result, { name, asked }) => {
    const { rps, statuses, durationS, responses } = result;
    const told = countOf(statuses, [0, 999]);
    const good = told === 0 ? 0 : (expectedResponses(statuses, asked?.expect) / told) * responses;
    assert.ok(Math.abs(rps * durationS - good) <= 1e-6 * good, `${name}: ${rps}/s for ${good} in ${durationS} s`);
  }),
  law("counts a status as good only where it is expected", (adapter, { name, output, asked, truth }) => {
    const [status] = Object.keys(truth.statuses);
    if (status === undefined || asked === undefined) return;
    const { rps, statuses } = adapter.parse(output, { ...asked, expect: [599] });
    assert.equal(rps > 0, expectedResponses(statuses, [599]) > 0, `${name}: ${rps}/s, though 599 was expected`);
  }),
  ofResults("fits the form of a result", (result, { name }) => {
    const parsed = loadResultSchema.safeParse(result);
    assert.ok(parsed.success, `${name}: ${parsed.error?.message}`);
  }),
  law("states nothing it does not claim to report", (adapter, { name, output, asked }) => {
    const { latencyMs, histogram, series } = adapter.parse(output, asked);
    const { percentiles, ...reports } = adapter.reports;
    for (const name of allPercentiles.filter((percentile) => !percentiles.includes(percentile))) {
      assert.equal(latencyMs[name], null, `${name} is not in reports.percentiles`);
    }
    assert.ok(reports.histogram || histogram === undefined, `${name}: a histogram that was not claimed`);
    assert.ok(reports.series || series === undefined, `${name}: a series that was not claimed`);
  }),
  {
    name: "states, in some recording, everything it claims to report",
    check(adapter, recordings) {
      const results = recordings.map(({ output, asked }) => adapter.parse(output, asked));
      for (const percentile of adapter.reports.percentiles) {
        assert.ok(
          results.some(({ latencyMs }) => latencyMs[percentile] !== null),
          `${percentile} is claimed and never stated`,
        );
      }
      const { histogram, series } = adapter.reports;
      assert.ok(!histogram || results.some((result) => result.histogram), "a histogram is claimed and never stated");
      assert.ok(!series || results.some((result) => result.series), "a series is claimed and never stated");
    },
  },
  ofResults("states percentiles that rise, and none without samples", ({ latencyMs, latencyBasis }, { name }) => {
    const stated = [latencyMs.min, ...allPercentiles.map((percentile) => latencyMs[percentile]), latencyMs.max];
    const rising = stated.filter((value) => value !== null);
    assert.deepEqual(
      rising,
      rising.toSorted((left, right) => left - right),
      name,
    );
    if (latencyBasis.samples === 0) assert.deepEqual(rising, [], `${name}: latencies of nothing`);
  }),
  law("throws on output cut short, or reads the same figures", (adapter, given) => {
    const { stdout } = given.output;
    for (const length of cuts(stdout)) {
      requireSameOrThrow(adapter, given, stdout.slice(0, length), `cut after ${length} characters`);
    }
  }),
  law("throws on output with a line missing, or reads the same figures", (adapter, given) => {
    const lines = given.output.stdout.split("\n");
    for (const index of sampled(lines.length)) {
      const without = lines.filter((_, at) => at !== index).join("\n");
      requireSameOrThrow(adapter, given, without, `without line ${index + 1}, ${lines[index]}`);
    }
  }),
  law("throws on another tool's words, alone or between its own", (adapter, given) => {
    const lines = given.output.stdout.split("\n");
    for (const words of foreignWords) {
      requireThrow(adapter, given, words, `nothing but ${JSON.stringify(words)}`);
      if (words.trim() === "") continue;
      for (const index of sampled(lines.length)) {
        const mixed = lines.toSpliced(index, 0, words).join("\n");
        requireThrow(adapter, given, mixed, `${words} before line ${index + 1}`);
      }
    }
  }),
  law("throws on two runs at once", (adapter, given) => {
    const { stdout } = given.output;
    requireThrow(adapter, given, `${stdout}\n${stdout}`, "twice the same run");
  }),
  law("throws where the tool failed or was killed", (adapter, given) => {
    for (const exitCode of [1, 137, null]) {
      const failed = { ...given, output: { ...given.output, exitCode } };
      requireThrow(adapter, failed, given.output.stdout, `exit code ${exitCode}`);
    }
  }),
  {
    name: "plans every model it claims, for every connection, with what it claims to send",
    check: (adapter) =>
      claimedLoads(adapter).forEach((load) =>
        targets(adapter).forEach((target) => {
          assert.deepEqual(unsupportedLoad(adapter, load, target.requests), []);
          assert.doesNotThrow(() => adapter.plan(load, target), `${load.model}, ${load.connection}`);
        }),
      ),
  },
  {
    name: "refuses every model it does not claim",
    check(adapter) {
      for (const load of sampleLoads.filter(({ model }) => !adapter.models.includes(model))) {
        assert.notDeepEqual(unsupportedLoad(adapter, load, [get]), [], `${load.model} is not refused`);
        assert.throws(() => adapter.plan(load, target("http", [get])), /unsupported-load/, `${load.model} is planned`);
      }
    },
  },
  ofPlans("plans the same for the same, and changes nothing it is given", (adapter, plan, load, target) => {
    assert.deepStrictEqual(adapter.plan(frozen(load), frozen(target)), plan);
  }),
  ofPlans("plans a job that outlives its load", (_, plan, load) => {
    if (plan.kind === "cluster" || load.duration === undefined) return;
    assert.ok(plan.job.killAfterS > secondsOf(load.duration), `killed after ${plan.job.killAfterS} s`);
  }),
  ofPlans("plans pinned images", (_, plan) => {
    const images = [...JSON.stringify(plan).matchAll(/"image":"([^"]*)"/g)].map(([, image]) => image as string);
    for (const image of images) assert.match(image, /:(?!latest$)[^/:]+$/, `${image} is not pinned`);
    assert.ok(plan.kind === "cluster" || images.length > 0, "no image");
  }),
  ofPlans("sends to the address, with everything the requests hold", (_, plan, load, target) => {
    const text = JSON.stringify(plan);
    for (const { path, headers, body } of target.requests) {
      const parts = [target.host, `${target.port}`, path, ...Object.values(headers), ...(body ? [body] : [])];
      for (const part of parts) assert.ok(text.includes(inJson(part)), `${load.model}: ${part} is sent nowhere`);
    }
  }),
  ofPlans("leaves references as they are, and makes up none", (_, plan) => {
    assert.deepEqual(unknownReferences([JSON.stringify(plan)], ["consumer-1.key"], "the plan"), []);
  }),
  {
    name: "plans each claim apart: connections kept or not, paced or not",
    check(adapter) {
      const planned = claimedLoads(adapter).map((load) => JSON.stringify(adapter.plan(load, target("http", [get]))));
      assert.equal(new Set(planned).size, planned.length, "two loads that differ become the same plan");
    },
  },
];

const allPercentiles = ["p50", "p75", "p90", "p95", "p99", "p999"] as const;

/** What stands in job folders and terminals when something else ran, or nothing. */
const foreignWords = [
  "",
  "\n\n",
  "{}",
  "null",
  "<html><head><title>502 Bad Gateway</title></head></html>",
  "This is ApacheBench, Version 2.3",
  "bash: line 1: 4242 Killed",
];

const get: RequestSpec = {
  method: "GET",
  path: "/law/get",
  headers: { "X-Law": "<gatebench:consumer-1.key>" },
  expect: 200,
};
const post: RequestSpec = { ...get, method: "POST", path: "/law/post", body: "a body of its own" };
const target = (scheme: Target["scheme"], requests: readonly RequestSpec[]): Target => ({
  scheme,
  host: "law.example",
  port: 8479,
  requests,
  cpus: 4,
});

/** Targets with requests of every kind the generator claims to send. */
function targets({ reports }: GeneratorAdapter): readonly Target[] {
  const one = [target("http", [get]), target("https", [get]), ...(reports.bodies ? [target("http", [post])] : [])];
  const others = { ...get, path: "/law/other", headers: { "X-Law": "another" } };
  const several = [get, others, ...(reports.bodies ? [post] : [])];
  return reports.requests === "many" ? [...one, target("http", several)] : one;
}

const sampleLoads: readonly Load[] = [
  { model: "closed", connections: 8, duration: "5s" },
  { model: "open", ratePerS: 100, maxInFlight: 8, duration: "5s" },
  { model: "users", users: 8, duration: "5s" },
  { model: "iterations", users: 8, perUser: 3 },
];

function claimedLoads({ models, reports }: GeneratorAdapter): readonly Load[] {
  const claimed = sampleLoads.filter(({ model }) => models.includes(model));
  const connected = claimed.flatMap((load) => reports.connections.map((connection) => ({ ...load, connection })));
  const paced = connected.flatMap((load) => (load.model === "closed" ? [{ ...load, pacePerConnection: 10 }] : []));
  return reports.pace ? [...connected, ...paced] : connected;
}

function countOf(statuses: Readonly<Record<string, number>>, [from, to]: readonly [number, number]): number {
  const within = Object.entries(statuses).filter(([key]) => statusRange(key)[0] >= from && statusRange(key)[1] <= to);
  return within.reduce((sum, [, count]) => sum + count, 0);
}

/** Requests the server may have answered and the tool not counted: under way at the end, or broken off. */
function unseen({ inFlight }: GeneratorRecording["truth"], errors: LoadResult["errors"]): number {
  return inFlight + Object.values(errors).reduce((sum, count) => sum + count, 0);
}

/** Every line's end and its neighbours, and places within lines; at most some hundreds of each. */
function cuts(text: string): readonly number[] {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const around = sampled(ends.length).flatMap((at) => [(ends[at] as number) - 1, ends[at] as number]);
  return [...new Set([...around, ...sampled(text.length)])];
}

/** Indices spread over a length, the first and last twenty all. */
function sampled(length: number): readonly number[] {
  const step = Math.max(1, Math.floor(length / 25));
  const indices = Array.from({ length }, (_, index) => index);
  return indices.filter((index) => index % step === 0 || index < 20 || index > length - 20);
}

function read(
  adapter: GeneratorAdapter,
  { output, asked }: GeneratorRecording,
  stdout: string,
): LoadResult | undefined {
  try {
    return adapter.parse({ ...output, stdout }, asked);
  } catch {
    return undefined;
  }
}

function requireSameOrThrow(adapter: GeneratorAdapter, given: GeneratorRecording, stdout: string, what: string): void {
  const result = read(adapter, given, stdout);
  if (result === undefined) return;
  assert.deepStrictEqual(result, adapter.parse(given.output, given.asked), `${given.name}, ${what}: other figures`);
}

function requireThrow(adapter: GeneratorAdapter, given: GeneratorRecording, stdout: string, what: string): void {
  assert.equal(read(adapter, given, stdout), undefined, `${given.name}, ${what}: figures, where there are none`);
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
