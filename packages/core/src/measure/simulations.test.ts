import { simulated, type Outcome, type Simulation } from "./simulations";

const isFull = process.env.GATEBENCH_SIMULATIONS === "full";
/** Ten thousand draws know a share of 5 % to ± 0.4 points, five hundred to ± 1.9. */
const draws = isFull ? 10_000 : 500;
const cvs = isFull ? [0.01, 0.02, 0.03, 0.04, 0.05] : [0.03];
const unitCounts = isFull ? [5, 10] : [5];

/** Measured apart, what drifts is a difference like any other: there only turns help. */
const simulations: readonly Simulation[] = (["normal", "heavy-tailed", "drifting", "bistable"] as const).flatMap(
  (noise) =>
    (noise === "drifting" ? [true] : [false, true]).flatMap((inTurns) =>
      unitCounts.flatMap((units) => cvs.map((cv) => ({ noise, cv, units, inTurns }))),
    ),
);

/** What chance adds to a share seen in so many draws: three standard errors; nothing where there are enough. */
const luck = (share: number): number => (isFull ? 0 : 3 * Math.sqrt((share * (1 - share)) / draws));

const outcomes: Outcome[] = [];

test.each(simulations.map((simulation, index) => ({ ...simulation, seed: index + 1 })))(
  "$noise noise of $cv, $units units, in turns: $inTurns",
  ({ seed, ...simulation }) => {
    const outcome = simulated(simulation, draws, seed);
    outcomes.push(outcome);
    expect(outcome.falseDifferences).toBeLessThanOrEqual(0.05 + luck(0.05));
    expect(outcome.wrongSign).toBeLessThanOrEqual(0.001);
    // Of what was drawn and what was computed, each by itself.
    expect(Math.abs(outcome.power - outcome.computed)).toBeLessThanOrEqual(0.02 + Math.SQRT2 * luck(0.2));
    if (simulation.noise === "bistable") return;
    expect(outcome.coverage).toBeGreaterThanOrEqual(0.935 - luck(0.05));
    expect(outcome.coverage).toBeLessThanOrEqual(0.965 + luck(0.05));
  },
  120_000,
);

afterAll(() => void (isFull && process.stdout.write(`\n${tableOf(outcomes)}\n`)));

/** Lowest and highest of all coefficients of variation, as docs/methodology.md shows them. */
function tableOf(all: readonly Outcome[]): string {
  const groups = new Map<string, Outcome[]>();
  for (const one of all) {
    const name = [one.noise, one.inTurns ? "in turns" : "apart", one.units].join(" | ");
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const head =
    "noise | measured | units | false differences % | coverage % | power computed % | power % | apart at most";
  const rows = [...groups].map(([name, its]) => `${name} | ${shares(its)} | ${furthest(its)}`);
  return [head, "--- | --- | ---: | ---: | ---: | ---: | ---: | ---:", ...rows].map((row) => `| ${row} |`).join("\n");
}

const percent = (share: number): string => (share * 100).toFixed(1);

function shares(outcomes: readonly Outcome[]): string {
  const columns = (["falseDifferences", "coverage", "computed", "power"] as const).map((key) => {
    const values = outcomes.map((outcome) => outcome[key]);
    return `${percent(Math.min(...values))} – ${percent(Math.max(...values))}`;
  });
  return columns.join(" | ");
}

const furthest = (outcomes: readonly Outcome[]): string =>
  percent(Math.max(...outcomes.map(({ power, computed }) => Math.abs(power - computed))));
