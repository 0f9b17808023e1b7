import {
  expectedResponses,
  refuse,
  statusRange,
  unstatedLatency,
  unsupportedLoad,
  type GeneratorAdapter,
  type JobOutput,
  type LoadResult,
} from "../contract";
import { generatorLaws, type GeneratorRecording } from "./generator-laws";

/** A tool that prints `sent <requests> in <seconds> s: <ok> ok, <bad> bad, p99 <ms> ms.` */
const toy: GeneratorAdapter = {
  name: "toy",
  version: "1",
  models: ["closed"],
  reports: {
    connections: ["keep-alive", "per-request"],
    pace: true,
    bodies: true,
    requests: "many",
    spreads: ["uniform"],
    percentiles: ["p99"],
    statuses: "codes",
    histogram: false,
    series: false,
    distributed: false,
  },
  plan(load, target) {
    refuse(unsupportedLoad(toy, load, target.requests));
    const job = { image: "toy:1", command: ["toy", JSON.stringify(load), JSON.stringify(target)], killAfterS: 60 };
    return { kind: "containers", job };
  },
  parse: (output, asked) => toyResult(output, asked?.expect),
};

function toyResult({ stdout, exitCode }: JobOutput, expect?: readonly number[]): LoadResult {
  const match = /^sent (\d+) in (\d+) s: (\d+) ok, (\d+) bad, p99 (\d+) ms\.\n?$/.exec(stdout);
  if (exitCode !== 0 || match === null) throw new Error("unparsed-output");
  const [sent, seconds, ok, bad, p99] = match.slice(1).map(Number) as [number, number, number, number, number];
  const statuses = { "200": ok, "429": bad };
  return {
    tool: { name: "toy" },
    durationS: seconds,
    responses: sent,
    statuses,
    errors: {},
    rps: expectedResponses(statuses, expect) / seconds,
    attemptsPerS: sent / seconds,
    latencyMs: { ...unstatedLatency, p99 },
    latencyBasis: {
      includes: { queue: false, connect: true, tls: true },
      population: "all",
      omission: "none",
      resolutionMs: 1,
      samples: sent,
    },
    caveats: [],
  };
}

const recording: GeneratorRecording = {
  name: "mixed",
  output: { stdout: "sent 100 in 2 s: 90 ok, 10 bad, p99 7 ms.\n", stderr: "", files: {}, exitCode: 0 },
  asked: { load: { model: "closed", connections: 2, duration: "2s" } },
  truth: { requests: 101, statuses: { "200": 91, "429": 10 }, inFlight: 2 },
  expect: { responses: 100 },
};

const brokenBy = (adapter: GeneratorAdapter) =>
  generatorLaws.filter((law) => throws(() => law.check(adapter, [recording]))).map(({ name }) => name);

function throws(act: () => void): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

const reading = (change: (result: LoadResult, output: JobOutput) => Partial<LoadResult>): GeneratorAdapter => ({
  ...toy,
  parse(output, asked) {
    const result = toy.parse(output, asked);
    return { ...result, ...change(result, output) };
  },
});

/** Reads anything, as one that looks for its numbers with loose expressions would. */
const careless = (tidy: (stdout: string) => string): GeneratorAdapter => ({
  ...toy,
  parse: (output, asked) => toy.parse({ ...output, stdout: tidy(output.stdout) }, asked),
});

let plans = 0;
const breaches: readonly (readonly [what: string, adapter: GeneratorAdapter, laws: readonly string[]])[] = [
  [
    "that doubles its responses",
    reading(({ responses }) => ({ responses: 2 * responses })),
    [
      "counts what the server counted, but for what was in flight",
      "leaves no status out",
      "reads the figures that stand in the output",
      "states responses with an expected status per second",
    ],
  ],
  [
    "that calls refusals good answers",
    reading(({ responses }) => ({ statuses: { "200": responses } })),
    ["states the statuses the server gave", "states responses with an expected status per second"],
  ],
  [
    "that forgets a status",
    reading(({ statuses, durationS }) => ({ statuses: { "200": statuses["200"] ?? 0 }, rps: 100 / durationS })),
    ["leaves no status out", "counts a status as good only where it is expected"],
  ],
  [
    "that counts failures in its rate",
    reading(({ attemptsPerS }) => ({ rps: attemptsPerS })),
    ["states responses with an expected status per second", "counts a status as good only where it is expected"],
  ],
  ["that knows connections it did not open", reading(() => ({ connectionsOpened: 2 })), []],
  ["that gives a figure no result has", reading(() => ({ tps: 1 }) as never), ["fits the form of a result"]],
  [
    "that invents a percentile",
    reading(({ latencyMs }) => ({ latencyMs: { ...latencyMs, p95: 6 } })),
    ["states nothing it does not claim to report"],
  ],
  [
    "that invents a histogram",
    reading(() => ({ histogram: { unit: "us", counts: [[7000, 100]] } })),
    ["states nothing it does not claim to report"],
  ],
  [
    "that never states what it claims",
    reading(() => ({ latencyMs: unstatedLatency })),
    ["states, in some recording, everything it claims to report"],
  ],
  [
    "whose percentiles fall",
    reading(({ latencyMs }) => ({ latencyMs: { ...latencyMs, min: 9 } })),
    ["states percentiles that rise, and none without samples"],
  ],
  [
    "that has latencies of nothing",
    reading(({ latencyBasis }) => ({ latencyBasis: { ...latencyBasis, samples: 0 } })),
    ["states percentiles that rise, and none without samples"],
  ],
  [
    "that reads a latency cut off",
    careless((stdout) => stdout.replace(/( p99 \d*)[^.]*$/, "$17 ms.").replace(/p99 77 ms/, "p99 8 ms")),
    ["throws on output cut short, or reads the same figures"],
  ],
  [
    "that takes nothing for an empty run",
    careless((stdout) => stdout.trim() || "sent 0 in 1 s: 0 ok, 0 bad, p99 0 ms."),
    [
      "throws on output cut short, or reads the same figures",
      "throws on output with a line missing, or reads the same figures",
      "throws on another tool's words, alone or between its own",
    ],
  ],
  [
    "that reads past another's words",
    careless((stdout) => stdout.split("\n").find((line) => line.startsWith("sent")) ?? stdout),
    ["throws on another tool's words, alone or between its own", "throws on two runs at once"],
  ],
  [
    "that reads what a killed tool left",
    { ...toy, parse: (output, asked) => toy.parse({ ...output, exitCode: 0 }, asked) },
    ["throws where the tool failed or was killed"],
  ],
  [
    "that cannot plan what it claims",
    {
      ...toy,
      plan(load, target) {
        if (target.scheme === "https") throw new Error("no TLS");
        return toy.plan(load, target);
      },
    },
    [
      "plans every model it claims, for every connection, with what it claims to send",
      "plans the same for the same, and changes nothing it is given",
      "plans a job that outlives its load",
      "plans pinned images",
      "sends to the address, with everything the requests hold",
      "leaves references as they are, and makes up none",
    ],
  ],
  [
    "that plans what it does not claim",
    {
      ...toy,
      plan: (load, target) => toy.plan({ ...load, model: "closed" } as typeof load, target),
    },
    ["refuses every model it does not claim"],
  ],
  [
    "that plans differently each time",
    planning((job) => ({ ...job, env: { RUN: `${(plans += 1)}` } })),
    ["plans the same for the same, and changes nothing it is given"],
  ],
  [
    "that is killed before its load ends",
    planning((job) => ({ ...job, killAfterS: 5 })),
    ["plans a job that outlives its load"],
  ],
  ["whose image moves", planning((job) => ({ ...job, image: "toy:latest" })), ["plans pinned images"]],
  [
    "that forgets bodies",
    planning((job) => ({ ...job, command: job.command.map((part) => part.replace("a body of its own", "")) })),
    ["sends to the address, with everything the requests hold"],
  ],
  [
    "that makes up a reference",
    planning((job) => ({ ...job, command: [...job.command, "<gatebench:mine>"] })),
    ["leaves references as they are, and makes up none"],
  ],
  [
    "that always keeps its connections",
    planning((job) => ({ ...job, command: job.command.map((part) => part.replace("per-request", "keep-alive")) })),
    ["plans each claim apart: connections kept or not, paced or not"],
  ],
];

type Planned = Extract<ReturnType<GeneratorAdapter["plan"]>, { kind: "containers" }>["job"];
function planning(change: (job: Planned) => Planned): GeneratorAdapter {
  return {
    ...toy,
    plan(load, target) {
      const plan = toy.plan(load, target);
      return plan.kind === "containers" ? { ...plan, job: change(plan.job) } : plan;
    },
  };
}

test("a sound generator keeps every law", () => {
  expect(brokenBy(toy)).toEqual([]);
});

test("no two laws have the same name", () => {
  expect(new Set(generatorLaws.map(({ name }) => name)).size).toBe(generatorLaws.length);
});

test.each(breaches)("a generator %s breaks the laws about it, and no others", (_, adapter, laws) => {
  expect(brokenBy(adapter)).toEqual(laws);
});

test("connections opened are held against those the server saw", () => {
  const law = generatorLaws.find(({ name }) => name === "opened the connections the server saw");
  const counted = { ...recording, truth: { ...recording.truth, connections: 100 } };
  const opening = (connectionsOpened: number) => () =>
    law?.check(
      reading(() => ({ connectionsOpened })),
      [counted],
    );
  expect(opening(101)).not.toThrow();
  expect(opening(50)).toThrow("mixed: 50");
});

test.each([
  ["404", [404, 404]],
  ["4xx", [400, 499]],
  ["2xx-3xx", [200, 399]],
])("the status %s stands for %j", (key, range) => {
  expect(statusRange(key)).toEqual(range);
});

test("expected responses are counted as exactly as the tool tells statuses apart", () => {
  expect(expectedResponses({ "200": 5, "204": 1, "302": 2, "429": 3 })).toBe(6);
  expect(expectedResponses({ "200": 5, "204": 1, "429": 3 }, [200, 429])).toBe(8);
  expect(expectedResponses({ "2xx-3xx": 5, "4xx-5xx": 3 }, [200])).toBe(5);
  expect(expectedResponses({ "2xx": 5, "4xx": 3 }, [429])).toBe(3);
});
