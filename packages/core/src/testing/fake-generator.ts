import {
  expectedResponses,
  fault,
  FaultError,
  loadFaults,
  refuse,
  secondsOf,
  unstatedLatency,
  unsupportedLoad,
  type GeneratorAdapter,
  type JobOutput,
  type LoadResult,
} from "../contract";
import type { GeneratorRecording } from "../laws";

/** What the fake generator prints. */
export interface FakeFigures {
  readonly seconds?: number;
  /** Responses with status 200. */
  readonly ok?: number;
  /** Responses with status 429. */
  readonly bad?: number;
  readonly p99Ms?: number;
}

const version = "1.0.0";

/** A generator that satisfies every generator law and is never meant to run. `fakeOutput` is what it would print. */
export function fakeGenerator(changes: Partial<GeneratorAdapter> = {}): GeneratorAdapter {
  const adapter: GeneratorAdapter = {
    name: "fake-load",
    version,
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
    plan: (load, target) => {
      refuse([...loadFaults(load), ...unsupportedLoad(adapter, load, target.requests)]);
      const command = ["fake-load", JSON.stringify(load), JSON.stringify(target)];
      const killAfterS = secondsOf(load.duration ?? "1s") + 5;
      return { kind: "containers", job: { image: `fake-load:${version}`, command, killAfterS } };
    },
    parse: (output, asked) => parsed(output, asked?.expect),
    ...changes,
  };
  return adapter;
}

/** An ordinary end of the fake generator. */
export function fakeOutput({ seconds = 10, ok = 10_000, bad = 0, p99Ms = 2 }: FakeFigures = {}): JobOutput {
  return { stdout: `${ok} ok, ${bad} bad in ${seconds} s, p99 ${p99Ms} ms.\n`, stderr: "", files: {}, exitCode: 0 };
}

/** What `generatorLaws` are checked with. */
export const fakeRecordings: readonly GeneratorRecording[] = [
  {
    name: "one in ten refused",
    output: fakeOutput({ ok: 90, bad: 10 }),
    asked: { load: { model: "closed", connections: 2, duration: "10s" } },
    truth: { requests: 101, statuses: { "200": 91, "429": 10 }, inFlight: 2 },
    expect: { responses: 100 },
  },
];

const line = /^(\d+) ok, (\d+) bad in ([\d.]+) s, p99 ([\d.]+) ms\.\n?$/;

function parsed({ stdout, exitCode }: JobOutput, expect: readonly number[] | undefined): LoadResult {
  const match = line.exec(stdout);
  if (exitCode !== 0 || match === null)
    throw new FaultError([fault("unparsed-output", `fake-load: ${JSON.stringify(stdout.slice(0, 100))}`)]);
  const [ok, bad, seconds, p99] = match.slice(1).map(Number) as [number, number, number, number];
  const statuses = { "200": ok, ...(bad > 0 ? { "429": bad } : {}) };
  return {
    tool: { name: "fake-load", version },
    durationS: seconds,
    responses: ok + bad,
    statuses,
    errors: {},
    rps: expectedResponses(statuses, expect) / seconds,
    attemptsPerS: (ok + bad) / seconds,
    latencyMs: { ...unstatedLatency, p99 },
    latencyBasis: {
      includes: { queue: false, connect: false, tls: false },
      population: "all",
      omission: "none",
      resolutionMs: 0.001,
      samples: ok + bad,
    },
    caveats: [],
  };
}
