import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import type { Load, Run } from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { repeat, steps } from "@gatebench/core/measure";
import { direct, nginx } from "@gatebench/gateways";
import { benchProgram, declare, leftBehind, observe, openRig, plain, type Bench, type Rig, type Seen } from "./rig";
import { curl, noted, starts } from "./tools";

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), "gatebench-repeated-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load: Load = { model: "closed", connections: 5, duration: "1s" };
const runs = (count: number) => repeat({ runs: count, warmUp: false, coolDown: "0s" });

/** Names of the commands an up created or replaced. */
async function changedBy(rig: Rig, program: PulumiFn, replace: readonly string[] = []): Promise<readonly string[]> {
  const changed = new Set<string>();
  await rig.stack.up({
    program,
    replace: [...replace],
    onEvent: ({ resourcePreEvent: event }) => {
      if (event?.metadata.type !== "command:local:Command" || event.metadata.op === "same") return;
      changed.add(event.metadata.urn.split("::").pop() as string);
    },
  });
  return [...changed].sort();
}

async function urnOf(rig: Rig, name: string): Promise<string> {
  const { deployment } = (await rig.stack.exportStack()) as { deployment: { resources: { urn: string }[] } };
  return deployment.resources.map(({ urn }) => urn).find((urn) => urn.endsWith(`::${name}`)) as string;
}

const runsOf = (target: string, ...numbers: readonly number[]) => numbers.map((number) => `bench-${target}-${number}`);

describe("an up measures what is new", () => {
  const file = join(folder, "new");
  const bench = ({ workers = 1, ...more }: Bench & { workers?: number } = {}): Bench => ({
    targets: {
      direct: { adapter: direct(), scenario: plain },
      nginx: { adapter: nginx(), scenario: plain, workers },
    },
    generator: noted(curl(), file),
    load,
    protocol: runs(2),
    ...more,
  });
  let rig: Rig;
  let before = 0;
  /** What an up changes, and how many loads it sends. */
  async function up(given: ReturnType<typeof bench>, replace?: readonly string[]) {
    before = starts(file);
    const { program, seen } = benchProgram(given);
    return { changed: await changedBy(rig, program, replace), loads: starts(file) - before, seen };
  }

  beforeAll(async () => void (rig = await openRig("repeated")));
  afterAll(() => rig.destroy());

  test("the first measures every run of every target", async () => {
    expect((await up(bench())).loads).toBe(4);
  });

  test("a second runs nothing, and states the same figures", async () => {
    const { changed, loads, seen } = await up(bench());
    expect({ changed, loads }).toEqual({ changed: [], loads: 0 });
    expect(seen.runs).toHaveLength(4);
  });

  test("a raised limit runs only what is new", async () => {
    const { changed, loads } = await up(bench({ protocol: runs(4) }));
    expect(changed).toEqual([...runsOf("direct", 3, 4), ...runsOf("nginx", 3, 4)]);
    expect(loads).toBe(4);
  });

  test("a changed gateway is verified and measured again, and nothing else is", async () => {
    const { changed, loads } = await up(bench({ workers: 2, protocol: runs(4) }));
    expect(changed).toEqual([...runsOf("nginx", 1, 2, 3, 4), "bench-nginx-nginx", "bench-nginx-verify"]);
    expect(loads).toBe(4);
  });

  test("a replaced run is followed by the runs behind it of the same target, and by no other", async () => {
    const changed = await up(bench({ workers: 2, protocol: runs(4) }), [await urnOf(rig, "bench-nginx-2")]);
    expect(changed).toMatchObject({ changed: runsOf("nginx", 2, 3, 4), loads: 3 });
  });

  test("a lowered limit measures nothing and forgets what is beyond it", async () => {
    const { loads, seen } = await up(bench({ workers: 2, protocol: runs(3) }));
    expect(loads).toBe(0);
    expect(seen.runs).toHaveLength(6);
  });

  test("a new run id measures everything again", async () => {
    const { changed, loads } = await up(bench({ workers: 2, protocol: runs(2), runId: "2" }));
    expect(loads).toBe(4);
    expect(changed).toEqual(
      expect.arrayContaining(["bench-direct-verify", "bench-nginx-verify", ...runsOf("direct", 1, 2)]),
    );
    expect(changed).not.toContain("bench-nginx-nginx");
  });

  test("a destroy leaves nothing, and the next up measures everything again", async () => {
    await rig.stack.destroy();
    expect(leftBehind()).toEqual([]);
    expect((await up(bench({ workers: 2, protocol: runs(2), runId: "2" }))).loads).toBe(4);
  });
});

test("a changed step runs again with the steps behind it, not with those before", async () => {
  const file = join(folder, "steps");
  const rig = await openRig("steps");
  const list = (...connections: readonly number[]) => ({
    generator: noted(curl(), file),
    load,
    protocol: steps(connections.map((count) => ({ load: { ...load, connections: count } }))),
  });
  await rig.up(benchProgram(list(4, 5, 6)).program);
  const { program, seen } = benchProgram(list(4, 7, 6));
  expect(await changedBy(rig, program)).toEqual(runsOf("direct", 2, 3));
  expect(starts(file)).toBe(5);
  expect(seen.runs.map(({ asked }) => (asked.model === "closed" ? asked.connections : 0)).sort()).toEqual([4, 6, 7]);
  await rig.destroy();
});

/** Nothing of one run lies within another. */
function expectOneAfterAnother(all: readonly Run[]): void {
  const inOrder = [...all].sort((left, right) => left.startedAt.localeCompare(right.startedAt));
  for (const [index, { startedAt }] of inOrder.slice(1).entries())
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse((inOrder[index] as Run).endedAt));
}

test("two benchmarks of one program load their host one after the other", async () => {
  const rig = await openRig("two");
  const seen: readonly Seen[] = [benchProgram({}).seen, benchProgram({}).seen];
  const program = async () => {
    const site = new LocalTopology("site");
    for (const [index, name] of ["one", "two"].entries())
      observe(declare({ name, generator: curl({ waitS: 0.3 }), load, protocol: runs(2) }, site), seen[index] as Seen);
  };
  await rig.up(program);
  const [one = [], two = []] = seen.map((each) => each.runs);
  expect([one.length, two.length]).toEqual([2, 2]);
  expectOneAfterAnother([...one, ...two]);
  await rig.destroy();
});

test("two stacks on one machine never load it at the same time", async () => {
  const rigs = await Promise.all([openRig("left"), openRig("right")]);
  const programs = rigs.map(() => benchProgram({ generator: curl({ waitS: 0.4 }), load, protocol: runs(3) }));
  await Promise.all(rigs.map((rig, index) => rig.up((programs[index] as (typeof programs)[number]).program)));
  const all = programs.flatMap(({ seen }) => seen.runs);
  expect(all).toHaveLength(6);
  expectOneAfterAnother(all);
  await Promise.all(rigs.map((rig) => rig.destroy()));
});
