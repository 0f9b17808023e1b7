/**
 * What comparisons say of real gateways: two that are the same are not told apart, and one that is slowed by twice the
 * smallest difference that this machine can tell is found. Twenty of each: GATEBENCH_COMPARISONS=full.
 */
import type { Cell, GatewayAdapter, Load } from "@gatebench/core";
import {
  answeringRuns,
  compared,
  detectableWith,
  noiseOf,
  repeat,
  sampleOf,
  type Sample,
} from "@gatebench/core/measure";
import { nginx } from "@gatebench/gateways";
import { hey } from "@gatebench/generators";
import { withQuota } from "./quota";
import { benchProgram, leftBehind, openRig, plain } from "./rig";

jest.setTimeout(900_000);

const full = process.env.GATEBENCH_COMPARISONS === "full";
const comparisons = full ? 20 : 3;
/** Runs of each gateway in one comparison: the default number of repetitions. */
const runs = 5;
const load: Load = { model: "closed", connections: 8, duration: "500ms" };

/** Rates by target, round by round, of gateways measured in turns. */
async function ratesOf(adapters: Readonly<Record<string, GatewayAdapter>>, rounds: number) {
  const rig = await openRig("comparisons");
  const targets = Object.fromEntries(
    Object.entries(adapters).map(([name, adapter]) => [name, { adapter, scenario: plain, workers: 1 }]),
  );
  const protocol = repeat({ runs: rounds, warmUp: "500ms", coolDown: "0s" });
  const { program, seen } = benchProgram({ targets, generator: hey(), load, protocol });
  try {
    await rig.up(program);
    return Object.fromEntries(Object.entries(seen.cells).map(([name, cell]) => [name, ratesIn(cell)]));
  } finally {
    await rig.destroy();
  }
}

const ratesIn = ({ runs: all }: Cell): readonly number[] => sampleOf(answeringRuns(all), "rps").values;

const sample = (values: readonly number[]): Sample => ({ values, unit: "run" });

/** Comparison by comparison, what left is against right. */
const findings = (left: readonly number[], right: readonly number[]) =>
  Array.from({ length: comparisons }, (_, index) => {
    const its = (values: readonly number[]) => sample(values.slice(index * runs, (index + 1) * runs));
    return compared(its(left), its(right), { inTurns: true })?.finding;
  });

let rates: Readonly<Record<string, readonly number[]>> = {};
/** The smallest difference that five runs tell, as one gateway against itself showed; the slow one has twice that. */
let detectable: number;

beforeAll(async () => {
  const { one = [], other = [] } = await ratesOf({ one: nginx(), other: nginx() }, 2 * runs);
  const noise = noiseOf({ left: one, right: other });
  if (noise === null) throw new Error(`no noise in ${one.length} and ${other.length} rates`);
  detectable = detectableWith(noise, runs, true);
  const slow = withQuota(nginx(), 1 / (1 + 2 * detectable));
  rates = await ratesOf({ one: nginx(), other: nginx(), slow }, comparisons * runs);
});

afterAll(() => {
  const { one = [], slow = [] } = rates;
  const seen = compared(sample(one), sample(slow), { inTurns: true });
  const percent = (fraction = NaN) => `${(fraction * 100).toFixed(1)} %`;
  process.stderr.write(
    `five runs tell ${percent(detectable)}; slowed by ${percent(2 * detectable)}, one is ${percent((seen?.ratio ?? NaN) - 1)} faster than the slow one: ${findings(one, slow).join(", ")}\n`,
  );
  expect(leftBehind()).toEqual([]);
});

test("a gateway slowed by twice the smallest detectable difference is found, and never taken for the faster", () => {
  const found = findings(rates.one ?? [], rates.slow ?? []);
  expect(found).not.toContain("lower");
  // Of three comparisons one may miss it, on a machine that grew noisier; of all their runs together none does.
  expect(compared(sample(rates.one ?? []), sample(rates.slow ?? []), { inTurns: true })?.finding).toBe("higher");
  if (full) expect(found.filter((finding) => finding === "higher").length).toBeGreaterThanOrEqual(18);
});

test("two that are the same are not distinguishable", () => {
  const found = findings(rates.one ?? [], rates.other ?? []);
  const differing = found.filter((finding) => finding === "higher" || finding === "lower");
  // Of twenty with a chance of 4 % each, four or more differ once in 140 times; of three, two or more once in 200.
  expect(differing.length).toBeLessThanOrEqual(comparisons === 20 ? 3 : 1);
  const all = compared(sample(rates.one ?? []), sample(rates.other ?? []), {
    inTurns: true,
    among: 40,
    matters: 2 * detectable,
  });
  expect(all?.finding).toBe("not-distinguishable");
});

test("asked about less than it can tell, the answer is that it cannot, and how many runs would", () => {
  const [one, other] = [rates.one ?? [], rates.other ?? []].map((values) => sample(values.slice(0, runs))) as [
    Sample,
    Sample,
  ];
  const { finding, smallestDetectable, unitsNeeded } = compared(one, other, {
    inTurns: true,
    among: 40,
    matters: detectable / 20,
  })!;
  expect(finding).toBe("cannot-tell");
  expect(smallestDetectable).toBeGreaterThan(detectable / 20);
  expect(unitsNeeded ?? Infinity).toBeGreaterThan(runs);
});
