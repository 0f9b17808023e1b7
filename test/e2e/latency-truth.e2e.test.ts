/**
 * What each generator says of latency, against the log of the server it was measured at: the same run, in the
 * generator's own basis. Some schedules of each, and one run where that agrees at once, else the median of five;
 * GATEBENCH_TRUTH=full always takes five, at every schedule.
 */
import type { GeneratorAdapter, Load, LoadResult } from "@gatebench/core";
import { hey, k6, locust, oha, wrk } from "@gatebench/generators";
import { knownServer, type KnownServer, type Truth } from "./truth/known-server";
import { send, type Sent } from "./truth/sent";

jest.setTimeout(900_000);

/** A run of a generator that others kept from its work says nothing of it. */
jest.retryTimes(2, { logErrorsBeforeRetry: true, retryImmediately: true });

const full = process.env.GATEBENCH_TRUTH === "full";
const runs = 5;
const atLeast = 20_000;
/** Of the truth, or milliseconds, whichever is more. */
const allowed = { fraction: 0.02, ms: 0.5 };

interface Case {
  readonly generator: GeneratorAdapter;
  /** Slow enough that the generator uses less than half of a core. */
  readonly load: Load;
}
const closed = (connections: number, seconds: number): Load => ({
  ...{ model: "closed", connections, duration: `${seconds}s` },
});
const cases: Readonly<Record<string, Case>> = {
  wrk: { generator: wrk(), load: closed(100, 15) },
  hey: { generator: hey(), load: closed(100, 15) },
  oha: { generator: oha(), load: closed(100, 15) },
  k6: { generator: k6(), load: closed(100, 15) },
  locust: { generator: locust(), load: closed(60, 26) },
};
/** As many in flight as a stall of one second keeps waiting; k6 makes each of them ready before it begins, which is work. */
const open: Load = { model: "open", ratePerS: 700, maxInFlight: 850, duration: "30s" };
const openCases: Readonly<Record<string, Case>> = {
  oha: { generator: oha(), load: open },
  k6: { generator: k6(), load: open },
};

/** Every generator and every schedule; where a generator changes what it was told (wrk at a stall), that too. */
const some: Readonly<Record<string, readonly string[]>> = {
  "slow-tail": ["hey", "k6"],
  "log-normal": ["wrk", "locust"],
  stall: ["wrk", "oha"],
};

let server: KnownServer;
afterEach(() => server.stop());

describe.each(Object.keys(some))("of answers by the schedule %s", (schedule) => {
  beforeEach(async () => void (server = await knownServer(schedule)));

  test.each(full ? Object.keys(cases) : (some[schedule] as string[]))(
    "%s states the P50 and P99 the server saw",
    async (name) => {
      await expectTruth(cases[name] as Case);
    },
  );
});

describe("of a stall that an arrival rate does not wait for", () => {
  beforeEach(async () => void (server = await knownServer("stall")));

  test.each(Object.keys(openCases))("%s states the P50 and P99 of those who would have waited", async (name) => {
    await expectTruth(openCases[name] as Case);
  });
});

async function expectTruth(of: Case): Promise<void> {
  const seen = [await compared(of)];
  if (full || !isTrue(seen)) {
    while (seen.length < runs) seen.push(await compared(of));
  }
  if (!isTrue(seen)) throw new Error(`said and true, in ms: ${JSON.stringify(seen)}`);
}

/** What was said and what was true, of one run. */
interface Compared {
  readonly p50: readonly [said: number, truth: number];
  readonly p99: readonly [said: number, truth: number];
}

async function compared({ generator, load }: Case): Promise<Compared> {
  await server.forget();
  const sent = await send(generator, load, { port: server.port });
  const truth = inBasis(await server.truth(), sent.result, load);
  expect(truth.length).toBeGreaterThanOrEqual(atLeast);
  expectIdle(sent);
  const { p50, p99 } = sent.result.latencyMs;
  return { p50: [p50 as number, at(truth, 0.5)], p99: [p99 as number, at(truth, 0.99)] };
}

/** A generator that is busy measures itself. */
function expectIdle({ record, result }: Sent): void {
  const cpuS = record.hosts[0]?.workloads.find(({ role }) => role === "generator")?.cpuS ?? Infinity;
  expect(cpuS / result.durationS).toBeLessThan(0.5);
}

function isTrue(seen: readonly Compared[]): boolean {
  return (["p50", "p99"] as const).every((figure) => {
    const beyond = seen.map((one) => {
      const [said, truth] = one[figure];
      return Math.abs(said - truth) / Math.max(allowed.ms, allowed.fraction * truth);
    });
    return at(beyond.toSorted(ascending), 0.5) <= 1;
  });
}

/** The server's latencies as this generator means them, ascending. */
function inBasis({ tookMs }: Truth, result: LoadResult, load: Load): readonly number[] {
  const took = tookMs.toSorted(ascending);
  return result.latencyBasis.omission === "backfill" ? backfilled(took, result, load) : took;
}

/**
 * wrk 4 fills in what a connection could not send while it waited (`stats_correct` in its stats.c): for each latency of
 * more than twice the mean interval, as many shorter ones as intervals fit into it.
 */
function backfilled(took: readonly number[], { durationS, responses }: LoadResult, load: Load): readonly number[] {
  if (load.model !== "closed") throw new Error("only wrk fills in, and wrk is closed");
  const intervalMs = (durationS * 1000) / Math.floor(responses / load.connections);
  const added: number[] = [];
  for (const ms of took) {
    if (ms <= 2 * intervalMs) continue;
    for (let missed = ms - intervalMs; missed > intervalMs; missed -= intervalMs) added.push(missed);
  }
  return [...took, ...added].toSorted(ascending);
}

const ascending = (left: number, right: number): number => left - right;
const at = (sorted: readonly number[], quantile: number): number =>
  sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] as number;
