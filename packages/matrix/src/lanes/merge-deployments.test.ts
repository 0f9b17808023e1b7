import { resultOf, type Cell, type Run } from "@gatebench/core";
import { recordedCell, recordedRun } from "@gatebench/core/testing";
import { mergeDeployments, type Cells } from "./merge-deployments";

function runOf(target: string, rps: number, order: number): Run {
  const run = recordedRun({ target, order, id: `${target}-${rps}` });
  return { ...run, outcome: { result: { ...(resultOf(run) as NonNullable<ReturnType<typeof resultOf>>), rps } } };
}

/** One deployment in which each target was measured once. */
const deployed = (direct: number, nginx: number, changes: Partial<Cell> = {}): Cells => ({
  direct: recordedCell({ id: "direct", baseline: null, purpose: "ceiling", runs: [runOf("direct", direct, 2)] }),
  nginx: recordedCell({ id: "nginx", baseline: "direct", runs: [runOf("nginx", nginx, 1)], ...changes }),
});
const three = [deployed(3000, 1000), deployed(3100, 1200), deployed(2900, 1100)];

test("figures are those of all deployments, and intervals go by deployment", () => {
  const { nginx } = mergeDeployments(three);
  expect(nginx?.rps).toBe(1100);
  expect(nginx?.intervals.rps?.map(Math.round)).toEqual([852, 1348]);
});

test("a run knows which deployment it loaded, and when its turn was", () => {
  const { nginx } = mergeDeployments(three);
  expect(nginx?.runs.map(({ deployment, order }) => [deployment, order])).toEqual([
    [1, 1],
    [2, 3],
    [3, 5],
  ]);
});

test("the verdict is of all runs, not of one deployment's", () => {
  const few = { code: "few-runs", cap: "indicative", figures: ["rps"], evidence: { runs: 1, wanted: 5 } } as const;
  const verdict = { rps: "indicative", p99Ms: "indicative", tlsTps: null, warnings: [few] } as const;
  const { nginx } = mergeDeployments([1000, 1010, 990, 1005, 995].map((rps) => deployed(3000, rps, { verdict })));
  expect(nginx?.verdict.warnings.map(({ code }) => code)).not.toContain("few-runs");
});

test("the baseline of the verdict is that of all deployments too", () => {
  const { nginx } = mergeDeployments([deployed(1000, 1000), deployed(1100, 1000)]);
  expect(nginx?.verdict.warnings).toContainEqual(
    expect.objectContaining({ code: "headroom-small", evidence: { ratio: 1.05, wanted: 1.5 } }),
  );
});

test("a law that one deployment broke is broken", () => {
  const broken = [{ law: "a law", verdict: "broken", reason: "it did not" }] as const;
  const held = [{ law: "a law", verdict: "held" }] as const;
  const { nginx } = mergeDeployments([
    deployed(3000, 1000, { verification: [...held] }),
    deployed(3000, 1000, { verification: [...broken] }),
  ]);
  expect(nginx?.verdict.rps).toBe("invalid");
});

test("a target that one deployment could not measure is not stated", () => {
  const [first, second] = three as [Cells, Cells];
  expect(Object.keys(mergeDeployments([first, { direct: second.direct as Cell }]))).toEqual(["direct"]);
});
