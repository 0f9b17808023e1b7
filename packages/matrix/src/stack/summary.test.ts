import * as pulumi from "@pulumi/pulumi";
import { warning, type Benchmark, type Verdict } from "@gatebench/core";
import { figuresOf, summaryOf, type Measured } from "./summary";

const measured = (name: string, label: string, of: Partial<Record<keyof Benchmark, unknown>>): Measured => ({
  part: { name, label } as Measured["part"],
  benchmark: Object.fromEntries(
    Object.entries({ cells: {}, ...of }).map(([key, value]) => [key, pulumi.output(value)]),
  ) as unknown as Benchmark,
});
const known = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => void output.apply(resolve));

const long = `direct (plain): 74801 rps [indicative], 0.50 ms P99 [indicative]
tyk (plain): 71556 rps [indicative], 1.00 ms P99 [indicative]
  direct: few-runs: 3 runs (wanted 5); repeat more.
  tyk: few-runs: 3 runs (wanted 5); repeat more.
  tyk: samples-capped: the tool kept only its first 1000000 latencies; make the run shorter.`;
const short = `direct (plain): 74800 rps [indicative], 0.50 ms P99 [indicative]
tyk (plain): 71556 rps [indicative], 1.00 ms P99 [indicative]
  direct: few-runs: 3 runs (wanted 5); repeat more.
  direct: short-runs: runs of 10 s are for a first look (wanted 60 s); run longer.
  tyk: few-runs: 3 runs (wanted 5); repeat more.`;

test("a warning is said once; where another part has it too, it is named. Figures are those of each part", async () => {
  const parts = [
    measured("bench", "hey, 5m", { summary: long }),
    measured("short", "hey, 10s", { summary: short }),
    measured("other", "oha at the same rate, 5m", { summary: "tyk (plain): 71556 rps [sound]" }),
  ];
  expect(await known(summaryOf(parts, undefined))).toBe(`hey, 5m
${long}

hey, 10s
direct (plain): 74800 rps [indicative], 0.50 ms P99 [indicative]
tyk (plain): 71556 rps [indicative], 1.00 ms P99 [indicative]
  direct: short-runs: runs of 10 s are for a first look (wanted 60 s); run longer.
  as above: direct: few-runs, tyk: few-runs

oha at the same rate, 5m
tyk (plain): 71556 rps [sound]`);
});

test("the verdict has a warning once that both of its benchmarks gave in the same words", async () => {
  const few = (runs: number) => warning("few-runs", "indicative", ["rps", "p99Ms"], { runs, wanted: 5 });
  const capped = warning("samples-capped", "invalid", ["p99Ms"], { cap: 1_000_000 });
  const verdict = (p99Ms: Verdict["p99Ms"], ...warnings: Verdict["warnings"]): Verdict => ({
    ...{ rps: "indicative", p99Ms, tlsTps: null, warnings },
  });
  const parts = (runs: number) => [
    measured("bench", "hey, 5m", { rps: 1, tlsTps: null, verdict: verdict("invalid", few(3), capped) }),
    measured("short", "hey, 10s", { p99Ms: 1, verdict: verdict("indicative", few(runs)) }),
  ];
  expect(await known(figuresOf(parts(3)).verdict)).toEqual(verdict("indicative", few(3)));
  expect(await known(figuresOf(parts(4)).verdict)).toEqual(verdict("indicative", few(3), few(4)));
});
