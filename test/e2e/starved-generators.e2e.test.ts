/** A generator that cannot do what it was asked is caught, and the verdict names the cause. */
import { describeWarning, type Cell, type GeneratorAdapter, type Load } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { nginx } from "@gatebench/gateways";
import { hey, k6, locust, wrk } from "@gatebench/generators";
import { benchProgram, leftBehind, openRig, plain } from "./rig";

jest.setTimeout(120_000);

const once = repeat({ runs: 1, warmUp: false, coolDown: "0s" });

/** A gateway measured with this generator and load, on the real engine. */
async function cellOf(generator: GeneratorAdapter, load: Load): Promise<Cell> {
  const rig = await openRig("starved");
  const targets = { nginx: { adapter: nginx(), scenario: plain } };
  const { program, seen } = benchProgram({ targets, generator, load, protocol: once });
  try {
    await rig.up(program);
    return seen.cells.nginx as Cell;
  } finally {
    await rig.destroy();
  }
}

afterEach(() => expect(leftBehind()).toEqual([]));

/** Every warning that makes a figure invalid, in its words. */
const invalidIn = ({ runs }: Cell): readonly string[] =>
  runs.flatMap(({ warnings }) => warnings.filter(({ cap }) => cap === "invalid").map(describeWarning));

function expectCaught(cell: Cell, cause: RegExp): void {
  expect(invalidIn(cell).join("\n")).toMatch(cause);
  expect(cell.verdict).toMatchObject({ rps: "invalid", p99Ms: "invalid" });
}

test("k6 with too few virtual users", async () => {
  const cell = await cellOf(k6(), { model: "open", ratePerS: 20_000, maxInFlight: 1, duration: "2s" });
  expectCaught(cell, /^the generator could not start \d+ requests in time; give it more connections in reserve\.$/m);
});

test("wrk with more connections than files it may open", async () => {
  const cell = await cellOf(withFiles(40), { model: "closed", connections: 64, duration: "2s" });
  expectCaught(
    cell,
    /^\d\d of 64 connections were never open, and the generator went on with fewer; raise its open files/m,
  );
});

test("hey asked for more than one connection can carry", async () => {
  const cell = await cellOf(hey(), { model: "closed", connections: 1, pacePerConnection: 100_000, duration: "2s" });
  expectCaught(cell, /^\d+ requests\/s were sent where 100000 were asked; raise connections or lower the rate\.$/m);
});

test("Locust on one core, at its limit", async () => {
  const cell = await cellOf(locust(), { model: "users", users: 100, duration: "8s" });
  expectCaught(
    cell,
    /^the generator itself could not keep up: one of its processes used \d+% of the only core it can use. Give it more CPUs or processes, or ask for less\.$/m,
  );
});

/** wrk as it runs where a shell allows so many open files. */
function withFiles(files: number): GeneratorAdapter {
  const ours = wrk();
  return {
    ...ours,
    plan: (load, target) => {
      const plan = ours.plan(load, target);
      if (plan.kind !== "containers") throw new Error("wrk is a process");
      const command = ["prlimit", `--nofile=${files}:${files}`, ...plan.job.command];
      return { ...plan, job: { ...plan.job, command } };
    },
  };
}
