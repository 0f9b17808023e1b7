/**
 * Tyk cannot be had here, so its deployment is carried out with a stand-in for its program: Redis is real, the files lie
 * where tyk.conf says, keys are created by the set-up requests, and what the generator sends then passes.
 */
import { join } from "node:path";
import { broken, resultOf, type LoadResult, type Scenario, type Verification } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { tyk } from "@gatebench/gateways";
import { alteredWorkload } from "./altered";
import { benchProgram, leftBehind, openRig, type Rig } from "./rig";

jest.setTimeout(120_000);

const standIn = alteredWorkload(tyk(), (workload) =>
  workload.name === "tyk"
    ? { ...workload, command: ["node", join(__dirname, "tyk-stand-in", "tyk.cjs"), ...workload.command.slice(1)] }
    : workload,
);

const scenarios: readonly Scenario[] = [
  { name: "keyless", balancing: "round-robin" },
  { name: "keys", auth: "key", routes: 3, consumers: 2, analytics: true },
  { name: "cookies", auth: "key", credential: "cookie" },
  { name: "users", auth: "basic", consumers: 2 },
  { name: "secure", scheme: "https", auth: "key", tls: { resumption: true } },
];

let rig: Rig;
afterEach(async () => {
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});

test("Redis, Tyk's files and the keys are in place before the first request", async () => {
  rig = await openRig("tyk");
  const { program, seen } = benchProgram({
    targets: Object.fromEntries(scenarios.map((scenario) => [scenario.name, { adapter: standIn, scenario }])),
    upstream: { count: 2 },
    protocol: repeat({ runs: 1, warmUp: false, coolDown: "0s" }),
  });
  await rig.up(program);
  for (const { name } of scenarios)
    expect([name, broken(seen.verifications[name] as Verification)]).toEqual([name, []]);
  expect(seen.runs).toHaveLength(scenarios.length);
  for (const { responses, statuses } of seen.runs.map((run) => resultOf(run) as LoadResult)) {
    expect(responses).toBeGreaterThan(0);
    expect(statuses).toEqual({ "2xx-3xx": responses });
  }
});
