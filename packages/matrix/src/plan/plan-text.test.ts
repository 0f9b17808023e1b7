import { createColors } from "picocolors";
import { datedPrices } from "../prices";
import { estimate } from "./estimate";
import { planText, type MatrixPlan, type PlanTextOptions } from "./plan-text";
import { ec2, local, sampleMatrix, ssh, type SampleChanges } from "./sample-matrix";

const look = { columns: 100, colours: createColors(false) };
const planOf = (topology: Parameters<typeof sampleMatrix>[0], changes: SampleChanges = {}): MatrixPlan => {
  const { matrix, expansion } = sampleMatrix(topology, changes);
  const estimated = estimate(expansion, matrix, datedPrices);
  return { name: matrix.name, expansion, estimate: estimated, budgetUsd: matrix.file.budgetUsd, faults: [] };
};
const textOf = (...[topology, changes, options]: [...Parameters<typeof planOf>, PlanTextOptions?]) =>
  planText(planOf(topology, changes), { look, ...options });

const skippedCell = {
  ...{ gateway: "kong", scenario: "jwt", generator: "wrk", load: "c32", size: "c5.large", topology: "ec2" },
  reason: "unsupported-policy: kong cannot enforce jwt.",
};

test("a plan says what is measured, what is not, where, how long, and for how much", () => {
  const sizes = ["c5.large", "c5.xlarge"];
  const skipped = sizes.map((size) => ({ ...skippedCell, size }));
  expect(textOf(ec2, { sizes, gateways: ["nginx", "envoy"], workers: 2, skipped, file: { budgetUsd: 20 } })).toBe(`\
sample: 6 cells, 2 lanes, 2 not measured

lanes
  lane           cells  runs  under load  in all   cost  ends after
  ec2-c5.large       3    18       3 min   6 min  $0.13  1 h 00 min
  ec2-c5.xlarge      3    18       3 min   6 min  $0.14  1 h 00 min

benchmarks
  benchmark        lanes  gateways  scenarios  cells
  fake-load-plain  all 2         3          1      6

not measured
  kong with wrk (jwt; 2 cells): unsupported-policy: kong cannot enforce jwt.

hosts
  upstream c5.xlarge; generator c5.2xlarge; 2 × worker c5.2xlarge; gateway c5.large, c5.xlarge (one
    in each lane) in us-east-1

time
  about 12 min: 5 min of load, 30 s of warm-ups, 0 s of cool-downs, 7 min of everything else

cost
  about $0.27; $2.72 if nobody takes machines down before they end themselves
  budget: $20.00
  an hour in us-east-1: c5.xlarge $0.17, c5.large $0.085, c5.2xlarge $0.34 (AWS's on-demand prices
    as karpenter-provider-aws 6fc13b523 states them, 2026-07-20)

quota
  32 vCPUs at once of "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances" in
    us-east-1`);
});

test("what is there already costs nothing, and needs no quota", () => {
  const text = textOf(ssh, { workers: 1 });
  expect(text).toContain(
    "hosts\n  upstream on up.example; generator on gen.example; worker on w1.example; gateway on gw.example\n",
  );
  expect(text).toMatch(/cost\n {2}nothing is rented$/);
  expect(textOf(local)).toContain("hosts\n  all roles on this machine\n");
  expect(textOf(local)).not.toContain("quota");
});

test("cells stand one by one only where somebody asks for them", () => {
  expect(textOf(local, {}, { cells: true })).toContain(
    "\ncells\n  gateway  scenario  generator  load  size      topology  id\n",
  );
  expect(textOf(local, {}, { cells: true })).toContain(
    "\n  fake     plain     fake-load  c32   c5.large  local     fake_local-c5.large\n",
  );
  expect(textOf(local)).not.toContain("fake_local");
});

test("a type without a price says so in place of a sum; spot machines cost less than the sum", () => {
  const text = textOf({ ...ec2, generator: "c9x.large" }).replace(/\n +/g, " ");
  expect(text).toContain(
    "cost not known: the table kept with gatebench (us-east-1, of 2026-07-20) has no price of c9x.large in us-east-1.",
  );
  expect(text).toContain("not known  1 h 00 min");
  expect(textOf({ ...ec2, spot: true })).toContain(", or less: spot machines cost less than these on-demand prices; ");
});

test("a thousand cells are no more lines than their lanes and benchmarks", () => {
  const gateways = Array.from({ length: 100 }, (_, index) => `g${index}`);
  const sizes = ["c5.large", "c5.xlarge", "c5.2xlarge", "c5.4xlarge", "c5.9xlarge"];
  const skipped = sizes.flatMap((size) => gateways.map(() => ({ ...skippedCell, size })));
  const plan = planOf(ec2, { gateways, sizes, skipped });
  expect(plan.expansion.cells.length + plan.expansion.skipped.length).toBe(1005);
  expect(planText(plan, { look }).split("\n").length).toBeLessThan(40);
});
