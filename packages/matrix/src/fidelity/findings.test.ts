import {
  harnessFinding,
  isSettled,
  pacedFinding,
  saturatedFinding,
  telling,
  toolFinding,
  type Pairs,
} from "./findings";
import type { SeenRun } from "./rig";

const stdout = "    99%    2.00ms\nRequests/sec:   1000.00\n";
const tool = { argv: ["wrk", "<gatebench:file.wrk.lua>"], environment: { PATH: "/bin" }, cpus: "0-1", nice: 0 };

function run(rps: number, changes: Partial<SeenRun> = {}): SeenRun {
  const result = { tool: { name: "wrk" }, rps, latencyMs: { p99: 2 } } as never;
  return { stdout: stdout.replace("1000.00", rps.toFixed(2)), result, tool, others: 0.05, ...changes };
}
const pair = (gatebench: number, byHand = 1000) => ({ gatebench: run(gatebench), byHand: run(byHand) });
const pairs = (...ratios: number[]): Pairs => ratios.map((ratio) => pair(1000 * ratio));
const disturbed = { gatebench: run(900, { others: 0.9 }), byHand: run(1000) };

describe("the tool", () => {
  test("runs as by hand, and its figures are its own", () => {
    expect(toolFinding(pairs(1, 0.99))).toEqual({
      verdict: "held",
      pairs: 2,
      differences: [],
      misreadings: [],
      unread: [],
    });
  });

  test("a difference is said once, however many pairs have it", () => {
    const other = { gatebench: run(1000, { tool: { ...tool, cpus: "0" } }), byHand: run(1000) };
    const { verdict, differences } = toolFinding([other, other]);
    expect([verdict, differences]).toEqual(["broken", ["CPU set: 0 under gatebench, 0-1 by hand"]]);
  });

  test("a figure that is not the tool's own breaks it, on either side", () => {
    const misread = { gatebench: run(1000), byHand: run(1000, { stdout: stdout.replace("2.00ms", "3.00ms") }) };
    expect(toolFinding([misread]).misreadings).toEqual(["P99 in ms: the tool printed 3, the result states 2"]);
    expect(toolFinding([misread]).verdict).toBe("broken");
  });

  test("a tool only its adapter can read is named, and breaks nothing", () => {
    const foreign = { result: { tool: { name: "foreign" }, rps: 1, latencyMs: { p99: 1 } } as never };
    const found = toolFinding([{ gatebench: run(1, foreign), byHand: run(1, foreign) }]);
    expect([found.verdict, found.unread]).toEqual(["held", ["foreign"]]);
  });
});

describe("CPU of gatebench", () => {
  const using = (cpuS: number, windowS: number) => ({
    gatebench: run(1000, { harness: { parts: { sampler: cpuS / 2, runner: cpuS / 2 }, windowS } }),
    byHand: run(1000),
  });

  test("is what all parts used of all windows together; a single worse run is shown", () => {
    const found = harnessFinding([using(0.03, 1), using(0.03, 3)]);
    expect(found.fraction).toBeCloseTo(0.015);
    expect(found.worstFraction).toBeCloseTo(0.03);
    expect(found.byPart).toEqual({ sampler: 0.0075, runner: 0.0075 });
    expect([found.verdict, found.runs]).toEqual(["held", 2]);
  });

  test("may be 2 % of a core at most", () => {
    expect(harnessFinding([using(0.02, 1)]).verdict).toBe("held");
    expect(harnessFinding([using(0.021, 1)]).verdict).toBe("broken");
  });
});

describe("at a pace", () => {
  test("each pair is within 1 %", () => {
    expect(pacedFinding(pairs(0.991, 1, 1.009), 1000, 3)).toMatchObject({ verdict: "held", pairs: 3, disturbed: 0 });
    expect(pacedFinding(pairs(1, 1, 0.98), 1000, 3).verdict).toBe("broken");
  });

  test("a pair that misses it while others use the machine says nothing, and is counted", () => {
    const found = pacedFinding([disturbed, pair(1000)], 1000, 1);
    expect(found).toMatchObject({ verdict: "held", ratios: [1], pairs: 1, disturbed: 1 });
  });

  test("a pair that agrees in spite of others counts", () => {
    const agreeing = { gatebench: run(1001, { others: 0.9 }), byHand: run(1000) };
    expect(telling([disturbed, agreeing, pair(900)])).toEqual([agreeing, pair(900)]);
  });

  test("fewer pairs than wanted hold nothing, but can break it", () => {
    expect(pacedFinding([disturbed, pair(1000)], 1000, 2).verdict).toBe("untold");
    expect(pacedFinding([disturbed, pair(900)], 1000, 2).verdict).toBe("broken");
  });
});

describe("at saturation", () => {
  test("the interval may reach into the bounds", () => {
    const found = saturatedFinding(pairs(0.9, 1, 0.95, 0.93));
    expect(found.ratio).toBeCloseTo(0.944, 3);
    expect(found.verdict).toBe("held");
  });

  test("it must not lie wholly outside", () => {
    expect(saturatedFinding(pairs(0.9, 0.91, 0.9, 0.91)).verdict).toBe("broken");
    expect(saturatedFinding(pairs(1.1, 1.11, 1.1, 1.11)).verdict).toBe("broken");
  });

  test("ten calm pairs stand without the disturbed ones; fewer stand with them", () => {
    const ten = pairs(1, 1.01, 0.99, 1, 1.01, 0.99, 1, 1.01, 0.99, 1);
    expect(saturatedFinding([disturbed, ...ten])).toMatchObject({ pairs: 10, disturbed: 1 });
    expect(saturatedFinding([disturbed, ...ten.slice(1)])).toMatchObject({ pairs: 10, disturbed: 0 });
  });

  test("one pair has no interval, and nothing is told", () => {
    expect(saturatedFinding(pairs(1))).toMatchObject({ verdict: "untold", interval: null });
  });

  test("ten pairs within the bounds are enough; fewer, or a wide interval, are not", () => {
    const alike = [0.99, 1, 1.01, 0.99, 1, 1.01, 0.99, 1, 1.01, 1];
    expect(isSettled(pairs(...alike))).toBe(true);
    expect(isSettled(pairs(...alike.slice(1)))).toBe(false);
    expect(isSettled(pairs(...alike.map((ratio, index) => (index % 2 ? ratio : ratio * 1.2))))).toBe(false);
  });
});
