/**
 * What scraping costs: one gateway with the observatory at work and with it asleep, in turns, one run each; their ratio with its
 * interval. `GATEBENCH_OBSERVATORY_COST=full npx jest test/e2e/observatory-cost --selectProjects e2e` makes the figures of
 * docs/observatory.md.
 */
import type { Run } from "@gatebench/core";
import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  Observatory,
  UpstreamHost,
  resultOf,
  type Load,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { compared, repeat, type Comparison } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { envoy } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import { asked } from "./observed";
import { leftBehind, openRig, plain } from "./rig";
import { pidsIn, processesOf } from "./tools";

const isFull = process.env.GATEBENCH_OBSERVATORY_COST === "full";
const pairs = isFull ? 12 : 4;
const load: Load = { model: "closed", connections: 16, duration: isFull ? "6s" : "3s" };

jest.setTimeout(isFull ? 1_800_000 : 240_000);

const state = process.env.XDG_STATE_HOME as string;

/** Which of each pair comes first changes from pair to pair, so that what drifts falls on both alike. */
const turns = Array.from({ length: pairs }, (_, pair) => (pair % 2 === 0 ? [true, false] : [false, true])).flat();

/** Who is asleep scrapes nothing, and a node exporter that nobody asks does nothing. */
function rouse(isAwake: boolean): void {
  for (const pid of pidsIn(state, /^prometheus /)) process.kill(pid, isAwake ? "SIGCONT" : "SIGSTOP");
}

/** Runs with and without, in the order of their pairs. */
async function measured() {
  const rig = await openRig("observatory-cost");
  let url = "";
  const seen = new Map<number, Run>();
  await rig.up(async () => {
    const site = new LocalTopology("site");
    const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
    const target = new GatewayUnderTest("envoy", { host: site.gateway, upstream, adapter: envoy(), scenario: plain });
    const generator = new LoadGenerator("load", { host: site.generator, adapter: wrk() });
    const observatory = new Observatory("observatory", {
      ...{ host: site.observer, watches: [upstream, target, generator], scrapeInterval: "1s" },
    });
    observatory.url.apply((known) => (url = known));
    // Asleep while it is put to sleep or roused: the next run begins a second after the one before it is known.
    const protocol = repeat({ runs: 1, warmUp: false, coolDown: "1s" });
    turns.forEach((isWith, turn) => {
      const beside = isWith ? { observatory } : {};
      const name = `turn-${turn + 1}`;
      const { runs } = new Benchmark(name, { generator, target, load, protocol, ...beside });
      for (const { run } of runs)
        run.apply((known) => {
          if (!known) return;
          seen.set(turn, known);
          rouse(turns[turn + 1] ?? true);
        });
    });
  });
  rouse(true);
  const of = (wanted: boolean) => turns.flatMap((isWith, turn) => (isWith === wanted ? [seen.get(turn) as Run] : []));
  const scrapesWithout = await Promise.all(of(false).map((run) => scrapesIn(url, run)));
  await rig.destroy();
  return { with: of(true), without: of(false), scrapesWithout };
}

/** Scrapes of the gateway while a run was going on. */
async function scrapesIn(url: string, { startedAt, endedAt }: Run): Promise<number> {
  const [startS, endS] = [Date.parse(startedAt) / 1000, Date.parse(endedAt) / 1000];
  const within = `${Math.round((endS - startS) * 1000)}ms`;
  return (await asked(url, `count_over_time(up{job="gateway-envoy"}[${within}] @ ${endS})`)).length;
}

type Measured = Awaited<ReturnType<typeof measured>>;

function ratio(runs: Measured, of: (run: Run) => number | undefined): Comparison {
  const sample = (some: readonly Run[]) => ({ values: some.map((run) => of(run) as number), unit: "run" as const });
  return compared(sample(runs.with), sample(runs.without), { inTurns: true }) as Comparison;
}

const said = ({ ratio: middle, interval: [least, most] }: Comparison) =>
  `${middle.toFixed(4)} (95 %: ${least.toFixed(4)} to ${most.toFixed(4)})`;

test(`scraping every second costs no tenth of the rate or of the gateway's CPU, in ${pairs} pairs`, async () => {
  const runs = await measured();
  expect([runs.with.length, runs.without.length]).toEqual([pairs, pairs]);
  const all = [...runs.with, ...runs.without];
  expect(all.flatMap(({ outcome }) => ("failure" in outcome ? [outcome.failure.message] : []))).toEqual([]);
  // Figures were taken where it was awake, and nothing was scraped where it was not.
  for (const run of runs.with) expect(run.figures?.filter((one) => "missing" in one)).toEqual([]);
  expect(runs.scrapesWithout).toEqual(runs.without.map(() => 0));
  const rate = ratio(runs, (run) => resultOf(run)?.rps);
  const cpu = ratio(runs, (run) => run.cpuMicrosPerRequest);
  process.stderr.write(`observatory cost, with / without, ${pairs} pairs of ${load.duration}:\n`);
  process.stderr.write(`  requests/s ${said(rate)}\n  gateway CPU per request ${said(cpu)}\n`);
  expect(rate.interval[1]).toBeGreaterThan(0.9);
  expect(cpu.interval[0]).toBeLessThan(1.1);
  expect(leftBehind()).toEqual([]);
  expect(processesOf(state)).toEqual([]);
});
