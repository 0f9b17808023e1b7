import type { ClosedLoad, Load, Run } from "../contract";
import { carryOut, saturate, saturatedAt, type SaturateOptions } from ".";
import { runOf, sampleLoad, sampleUsage } from "./sample-run";

/** What a gateway with so many connections does: its rate, and how busy its one worker is. null: the run fails. */
type Gateway = (connections: number) => { readonly rps: number; readonly busy: number } | null;

const fullAt =
  (limit: number): Gateway =>
  (connections) => ({ rps: Math.min(connections, limit) * 100, busy: Math.min(1, connections / limit) });

function measureWith(gateway: Gateway, options: SaturateOptions = {}, load: Load = sampleLoad) {
  const protocol = saturate(options);
  const history = carryOut(protocol, load, (step, order): Run => {
    const seen = gateway((step.load as ClosedLoad).connections);
    const worker = { name: "nginx", role: "gateway", cores: 1, cpuS: (seen?.busy ?? 0) * 30, memoryBytes: 1 };
    return runOf(step, order, seen && seen.rps, { hosts: [sampleUsage({ roles: ["gateway"], workloads: [worker] })] });
  });
  const taken = history.map(({ purpose, asked }) => `${purpose} ${(asked as ClosedLoad).connections}`);
  return { protocol, history, taken, missed: protocol.missed!(history) };
}

test("connections double until the gateway's workers are busy, and that is measured", () => {
  const { taken, missed, history } = measureWith(fullAt(64), { runs: 2 });
  expect(taken).toEqual(["warm-up 16", "probe 16", "probe 32", "probe 64", "measure 64", "measure 64"]);
  expect(missed).toBeUndefined();
  expect(saturatedAt(history)).toBe(64);
});

test("94 % is not busy, 95 % is", () => {
  const busy =
    (fraction: number): Gateway =>
    (connections) => ({ rps: connections, busy: fraction });
  expect(measureWith(busy(0.95), { runs: 1 }).taken).toEqual(["warm-up 16", "probe 16", "measure 16"]);
  expect(measureWith(busy(0.94), { runs: 1, maxConnections: 32 }).taken).toContain("probe 32");
});

test("where doubling gains less than 3 % the fewer connections are measured", () => {
  const idleAt = (gain: number): Gateway => {
    const rates: Record<number, number> = { 16: 1000, 32: 2000, 64: 2000 * gain };
    return (connections) => ({ rps: rates[connections] ?? 0, busy: 0.1 });
  };
  const gained = measureWith(idleAt(1.02), { runs: 1 });
  expect(gained.taken).toEqual(["warm-up 16", "probe 16", "probe 32", "probe 64", "measure 32"]);
  expect(gained.missed).toBeUndefined();
  expect(measureWith(idleAt(1.04), { runs: 1 }).taken).toContain("probe 128");
});

test("a bound that is reached first is measured, and said", () => {
  const { taken, missed } = measureWith(fullAt(4096), { runs: 1, maxConnections: 100 });
  expect(taken).toEqual(["warm-up 16", "probe 16", "probe 32", "probe 64", "measure 64"]);
  expect(missed).toBe("the gateway was full with at most 100 connections");
});

test("a failed probe ends the climb at the last good one", () => {
  const failsAt =
    (limit: number): Gateway =>
    (connections) =>
      connections < limit ? { rps: connections, busy: 0 } : null;
  const { taken, missed } = measureWith(failsAt(64), { runs: 1 });
  expect(taken).toEqual(["warm-up 16", "probe 16", "probe 32", "probe 64", "measure 32"]);
  expect(missed).toBe("its probe with 64 connections gave figures");
  expect(measureWith(failsAt(1), { runs: 3 }).taken).toEqual(["warm-up 16", "probe 16"]);
});

test("failed measured runs count as tries", () => {
  let measures = 0;
  const protocol = saturate({ runs: 3 });
  const history = carryOut(protocol, sampleLoad, (step, order) =>
    runOf(step, order, step.purpose === "measure" && measures++ === 0 ? null : 1000),
  );
  expect(history.filter(({ purpose }) => purpose === "measure")).toHaveLength(3);
  expect(protocol.answer(history)).toHaveLength(2);
});

test("however the gateway behaves it ends within what it planned", () => {
  const protocol = saturate({ from: 1, maxConnections: 1000, runs: 4 });
  expect(protocol.maxRuns).toBe(1 + 10 + 4);
  expect(measureWith(fullAt(1e9), { from: 1, maxConnections: 1000, runs: 4 }).history).toHaveLength(15);
});

test("neither more runs nor a higher bound changes an earlier run once the gateway was full", () => {
  const base = measureWith(fullAt(64), { runs: 2 }).taken;
  expect(measureWith(fullAt(64), { runs: 5 }).taken.slice(0, base.length)).toEqual(base);
  expect(measureWith(fullAt(64), { runs: 2, maxConnections: 5000 }).taken).toEqual(base);
});

test("probes are short, runs as long as asked, and threads never outnumber connections", () => {
  const load: Load = { ...sampleLoad, duration: "60s", threads: 24 } as Load;
  const { history } = measureWith(fullAt(32), { runs: 1 }, load);
  expect(history.map(({ asked }) => asked.duration)).toEqual(["15s", "15s", "15s", "60s"]);
  expect(history.map(({ asked }) => (asked as ClosedLoad).threads)).toEqual([16, 16, 24, 24]);
});

test("loads it cannot raise are refused while planning", () => {
  const messages = (load: Load, options?: SaturateOptions) =>
    saturate(options).faults!(load).map(({ message }) => message);
  expect(messages(sampleLoad)).toEqual([]);
  expect(messages({ model: "open", ratePerS: 10, maxInFlight: 5, duration: "5s" })).toEqual([
    'saturate raises the connections of a closed load; this one is of model "open". Give a closed load, or another protocol.',
  ]);
  expect(messages({ ...sampleLoad, pacePerConnection: 5 } as Load)).toEqual([
    "saturate cannot fill a gateway with connections that are held to a pace. Drop pacePerConnection.",
  ]);
  expect(messages(sampleLoad, { from: 64, maxConnections: 32 })).toEqual([
    "saturate begins with 64 connections and may not go beyond 32. Raise maxConnections, or lower from.",
  ]);
});
