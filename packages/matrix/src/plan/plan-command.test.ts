import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lineOf } from "@gatebench/core";
import { planMatrix, planRecord } from "./plan-command";

const folder = mkdtempSync(join(tmpdir(), "gatebench-plan-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rented = `
name: sizes
gateways: [nginx, tyk]
scenarios: [plain, tls-transactions]
loads: [{ connections: 64, duration: 30s }]
topologies:
  - kind: ec2
    region: us-east-1
    sshFrom: 203.0.113.7/32
    upstream: c5.2xlarge
    generator: c5.9xlarge
    sizes: [c5n.large, c5n.xlarge]
`;
const written = (text: string): string => {
  const path = join(folder, "matrix.yaml");
  writeFileSync(path, text);
  return path;
};
const planned = (text: string, prices = "dated") => planMatrix(written(text), { prices });

test("a file is planned without anything being started", async () => {
  const plan = await planned(`${rented}budgetUsd: 20\n`);
  const each = ["direct plain", "nginx plain", "tyk plain", "direct plain", "nginx tls-transactions"];
  expect(plan.expansion.cells.map(({ gateway, scenario, lane }) => `${gateway} ${scenario} ${lane}`)).toEqual(
    ["ec2-c5n.large", "ec2-c5n.xlarge"].flatMap((lane) => each.map((row) => `${row} ${lane}`)),
  );
  expect(plan.expansion.skipped.map(({ gateway, scenario }) => `${gateway} ${scenario}`)).toEqual([
    ...["tyk tls-transactions", "tyk tls-transactions"],
  ]);
  expect(plan.estimate.usd).toBeGreaterThan(0.5);
  expect(plan.faults).toEqual([]);
});

test("a budget that cannot be kept is told with its place in the file, beside the plan", async () => {
  const { faults, estimate } = await planned(`${rented}budgetUsd: 0.25\n`);
  expect(faults.map(lineOf)).toEqual([
    `over-budget: ${join(folder, "matrix.yaml")}:13:12: budgetUsd: the machines are estimated to cost $${estimate.usd?.toFixed(2)}, and the budget is $0.25. Raise budgetUsd, or measure less: fewer sizes, loads or repetitions, or shorter runs.`,
  ]);
});

test("machines that would end within their lane are told likewise", async () => {
  const { faults } = await planned(
    `${rented.replace("region:", "ttl: 11m\n    region:").replace("30s", "5m")}budgetUsd: 90\n`,
  );
  expect(faults).toHaveLength(2);
  expect(lineOf(faults[0] as (typeof faults)[0])).toMatch(
    /^invalid-option: .*matrix\.yaml:8:10: topologies\[0\]\.ttl: lane ec2-c5n\.large is estimated to take \d+ minutes, and its machines end themselves after 11m\./,
  );
});

test("other programs get plain data", async () => {
  const record = planRecord(await planned(`${rented}budgetUsd: 20\n`));
  const read = JSON.parse(JSON.stringify(record)) as typeof record;
  expect(read).toEqual({ ...record, estimate: JSON.parse(JSON.stringify(record.estimate)) });
  expect(read).toMatchObject({ matrix: "sizes", budgetUsd: 20, faults: [], estimate: { parallel: 1 } });
  expect(read.cells).toHaveLength(10);
});

test("prices of nobody are refused; AWS is not asked where nothing is rented", async () => {
  await expect(planned(`${rented}budgetUsd: 20\n`, "azure")).rejects.toThrow(
    'invalid-option: --prices: "azure" is not one of dated, aws. Give one of them, or leave it out.',
  );
  expect((await planned("name: here\ngateways: [nginx]\n", "aws")).estimate.usd).toBe(0);
});

test("what is wrong with the file is all that is said", async () => {
  await expect(planned("name: here\ngateways: [nginks]\n")).rejects.toThrow(/^unknown-gateway: .*matrix\.yaml:2:12: /);
});
