import {
  resolveScenario,
  warning,
  type Failure,
  type Load,
  type LoadResult,
  type Run,
  type Verdict,
} from "../contract";
import { cellFigures, verdictOf, type VerdictFacts } from ".";
import { sampleLoad, sampleResult, sampleRun } from "./sample-run";

const open: Load = { model: "open", ratePerS: 1000, maxInFlight: 50, duration: "30s" };
const https = resolveScenario({ name: "tls", scheme: "https" });
const closing: Load = { ...sampleLoad, connection: "per-request" };
const runWith = (changes: Partial<LoadResult>, run: Partial<Run> = {}): Run =>
  sampleRun({ outcome: { result: sampleResult(changes) }, ...run });
const runs = (count: number, changes: Partial<LoadResult> = {}, run: Partial<Run> = {}): Run[] =>
  Array.from({ length: count }, () => runWith(changes, run));
const path = (rps: number, tlsTps: number | null = null) => ({
  name: "direct",
  figures: { ...cellFigures([]), rps, tlsTps },
});

/** Six runs at an offered rate on machines of their own, verified: nothing to say. */
function verdict(changes: Partial<VerdictFacts> = {}): Verdict {
  const answer = changes.answer ?? runs(6);
  return verdictOf({
    ...{ load: open, scenario: resolveScenario({ name: "plain" }), purpose: "at-rate", sharedRoles: [] },
    ...{ verification: { target: "nginx", laws: [] }, history: answer, answer },
    ...changes,
  });
}
const gradesOf = ({ rps, p99Ms, tlsTps }: Verdict) => ({ rps, p99Ms, tlsTps });
const codesOf = ({ warnings }: Verdict) => warnings.map(({ code }) => code);
const all = (grade: "sound" | "indicative" | "invalid") => ({ rps: grade, p99Ms: grade, tlsTps: null });

test("a cell nothing speaks against is sound", () => {
  expect(verdict()).toEqual({ ...all("sound"), warnings: [] });
});

test("a clean default run on this machine has no invalid figure", () => {
  const saturating = runs(
    5,
    {},
    { warnings: [warning("host-saturated", "indicative", ["rps", "p99Ms"], { cpuFraction: 1 })] },
  );
  const seen = verdict({
    load: sampleLoad,
    purpose: "capacity",
    answer: saturating,
    sharedRoles: ["upstream", "gateway", "generator"],
    baseline: path(1200),
  });
  expect(gradesOf(seen)).toEqual(all("indicative"));
  expect(codesOf(seen)).toEqual(["closed-loop-p99", "hosts-shared", "headroom-small", "host-saturated"]);
});

describe("a figure", () => {
  test("gets the worst grade of the warnings that touch it, and no other", () => {
    const touched = runs(
      6,
      {},
      {
        warnings: [
          warning("retransmits", "indicative", ["p99Ms"], { fraction: 0.01 }),
          warning("generator-busy", "sound", ["rps", "p99Ms", "tlsTps"], { cpuFraction: 0.75, limit: 0.7 }),
        ],
      },
    );
    expect(gradesOf(verdict({ answer: touched }))).toEqual({ rps: "sound", p99Ms: "indicative", tlsTps: null });
  });

  test("that no tool stated has no grade, and nothing is said of it", () => {
    const latencyMs = { ...sampleResult().latencyMs, p99: null };
    expect(verdict({ load: sampleLoad, answer: runs(6, { latencyMs }) })).toEqual({
      ...all("sound"),
      p99Ms: null,
      warnings: [],
    });
  });

  test("TLS transactions are graded where they were asked for, and invalid where they could not be counted", () => {
    const asked = { load: closing, scenario: https, purpose: "ceiling" as const };
    expect(verdict({ ...asked, answer: runs(6, {}, { tlsTps: 900 }) }).tlsTps).toBe("sound");
    expect(verdict({ ...asked, answer: [...runs(5, {}, { tlsTps: 900 }), ...runs(1)] }).tlsTps).toBe("invalid");
    expect(verdict({ ...asked, load: sampleLoad, answer: runs(6, {}, { tlsTps: 900 }) }).tlsTps).toBeNull();
  });
});

describe("runs", () => {
  const failure: Failure = { code: "timed-out", message: "wrk was killed after 40 s" };

  test("fewer than five are indicative", () => {
    expect(codesOf(verdict({ answer: runs(5) }))).toEqual([]);
    expect(gradesOf(verdict({ answer: runs(4) }))).toEqual(all("indicative"));
  });

  test("none are invalid", () => {
    const seen = verdict({ answer: [] });
    expect([gradesOf(seen), codesOf(seen)]).toEqual([all("invalid"), ["no-runs"]]);
  });

  test("a failed one is said, with its reason", () => {
    const answer = runs(6);
    const seen = verdict({ answer, history: [...answer, sampleRun({ outcome: { failure } })] });
    expect(gradesOf(seen)).toEqual(all("indicative"));
    expect(seen.warnings).toMatchObject([{ code: "run-failed", evidence: { reason: failure.message } }]);
  });

  test("shorter than 15 s are for a first look", () => {
    expect(codesOf(verdict({ answer: runs(6, { durationS: 14.95 }) }))).toEqual([]);
    const quick = verdict({ answer: runs(6, { durationS: 5.02 }) });
    expect(quick.warnings).toMatchObject([
      { code: "short-runs", cap: "indicative", evidence: { seconds: 5, wanted: 15 } },
    ]);
  });

  test("that differ by more than 5 % are unstable, and only in the figure that does", () => {
    const unsteady = [900, 1000, 1100, 900, 1000, 1100].map((rps) => runWith({ rps }));
    const seen = verdict({ answer: unsteady });
    expect(seen.warnings.map(({ code, figures }) => [code, figures])).toEqual([
      ["unstable", ["rps"]],
      ["interval-wide", ["rps"]],
    ]);
    expect(gradesOf(seen)).toEqual({ rps: "indicative", p99Ms: "sound", tlsTps: null });
  });

  test("a rate is wanted to ± 2 %, a P99 to ± 5 %", () => {
    const spread = (relative: number) => [1, -1, 1, -1, 1, -1].map((sign) => 1 + sign * relative);
    const ofRps = (relative: number) =>
      codesOf(verdict({ answer: spread(relative).map((factor) => runWith({ rps: 1000 * factor })) }));
    // Six values at ± r have a half-width of 1.15 r.
    expect([ofRps(0.017), ofRps(0.018)]).toEqual([[], ["interval-wide"]]);
    const ofP99 = (relative: number) =>
      codesOf(
        verdict({
          answer: spread(relative).map((factor) =>
            runWith({ latencyMs: { ...sampleResult().latencyMs, p99: 10 * factor } }),
          ),
        }),
      );
    expect(ofP99(0.045)).toEqual([]);
    expect(ofP99(0.051)).toEqual(["unstable", "interval-wide"]);
  });

  test("a protocol that did not reach what it was after says so", () => {
    const seen = verdict({ missed: "the gateway was full with at most 512 connections" });
    expect([gradesOf(seen), codesOf(seen)]).toEqual([all("indicative"), ["target-not-reached"]]);
  });
});

describe("P99", () => {
  const indicative = { rps: "sound", p99Ms: "indicative", tlsTps: null };

  test("of fewer than 10,000 latencies is indicative", () => {
    const samples = (count: number | null, responses = 30_000) =>
      verdict({ answer: runs(6, { responses, latencyBasis: { ...sampleResult().latencyBasis, samples: count } }) });
    expect(codesOf(samples(10_000))).toEqual([]);
    expect([gradesOf(samples(9_999)), codesOf(samples(9_999))]).toEqual([indicative, ["few-samples"]]);
    expect(codesOf(samples(null, 9_999))).toEqual(["few-samples"]);
  });

  test("of a load without a rate is labelled and never sound", () => {
    const seen = verdict({ load: sampleLoad, purpose: "ceiling" });
    expect([gradesOf(seen), codesOf(seen)]).toEqual([indicative, ["closed-loop-p99"]]);
    expect(codesOf(verdict({ load: { ...sampleLoad, pacePerConnection: 20 } as Load }))).toEqual([]);
  });
});

describe("verification", () => {
  test("a broken law makes every figure invalid", () => {
    const laws = [
      { law: "refuses a wrong credential", finding: { verdict: "broken", reason: "answered 200" } as const },
    ];
    const seen = verdict({ verification: { target: "nginx", laws } });
    expect(gradesOf(seen)).toEqual(all("invalid"));
    expect(seen.warnings).toMatchObject([{ code: "verification-failed", evidence: { reason: "answered 200" } }]);
  });

  test("a law that could not be tested is said and costs nothing; no verification at all does", () => {
    const laws = [
      { law: "enforces the limit", finding: { verdict: "untested", reason: "the limit is too high" } as const },
    ];
    const untested = verdict({ verification: { target: "nginx", laws } });
    expect([gradesOf(untested), codesOf(untested)]).toEqual([all("sound"), ["not-verified"]]);
    const never = verdictOf({ ...factsWithoutVerification(), history: runs(6), answer: runs(6) });
    expect([gradesOf(never), codesOf(never)]).toEqual([all("indicative"), ["not-verified"]]);
  });
});

const factsWithoutVerification = () =>
  ({ load: open, scenario: resolveScenario({ name: "plain" }), purpose: "at-rate", sharedRoles: [] }) as const;

describe("the path without a gateway", () => {
  const capacity = { load: { ...sampleLoad }, purpose: "capacity" as const };
  const said = (changes: Partial<VerdictFacts>) =>
    verdict({ ...capacity, ...changes }).warnings.filter(({ code }) => code.startsWith("headroom"));

  test("is wanted to carry twice the figure, and must carry one and a half times", () => {
    expect(said({ baseline: path(2000) })).toEqual([]);
    expect(said({ baseline: path(1999) })).toMatchObject([{ cap: "sound", evidence: { ratio: 1.999, wanted: 2 } }]);
    expect(said({ baseline: path(1500) })).toMatchObject([{ cap: "sound" }]);
    expect(said({ baseline: path(1499) })).toMatchObject([
      { cap: "indicative", figures: ["rps", "p99Ms"], evidence: { wanted: 1.5 } },
    ]);
  });

  test("is held against TLS transactions too", () => {
    const asked = { load: closing, scenario: https, answer: runs(6, {}, { tlsTps: 800 }) };
    expect(said({ ...asked, baseline: path(9000, 1000) })).toMatchObject([{ cap: "indicative", figures: ["tlsTps"] }]);
  });

  test("is missed where it was not measured", () => {
    expect(said({ baseline: { name: "direct" } })).toMatchObject([
      { code: "headroom-unknown", evidence: { baseline: "direct" } },
    ]);
  });

  test("is nothing to hold against itself, a ceiling, or an offered rate", () => {
    expect(said({})).toEqual([]);
    expect(said({ purpose: "ceiling", baseline: path(1000) })).toEqual([]);
    expect(said({ load: open, baseline: path(1000) })).toEqual([]);
  });
});

describe("warnings of several runs", () => {
  const busy = (cpuFraction: number) => warning("generator-busy", "indicative", ["rps"], { cpuFraction, limit: 0.8 });
  const withWarnings = (...each: Run["warnings"][]) =>
    verdict({ answer: [...each.map((warnings) => runWith({}, { warnings })), ...runs(6)] });

  test("are one, with the worst that was seen", () => {
    expect(withWarnings([busy(0.85)], [busy(0.97)], [busy(0.9)]).warnings).toEqual([busy(0.97)]);
    const counts = (right: number) =>
      warning("counts-disagree", "invalid", ["rps"], { between: "a and b", left: 100, right, allowed: 5 });
    expect(withWarnings([counts(90)], [counts(150)], [counts(80)]).warnings).toEqual([counts(150)]);
  });

  test("keep the worst cap before the worst evidence", () => {
    const errors = (cap: "indicative" | "invalid", fraction: number) =>
      warning("errors", cap, ["rps"], { fraction, allowed: 0, kinds: "ports" });
    expect(withWarnings([errors("indicative", 0.5)], [errors("invalid", 0.001)]).warnings).toEqual([
      errors("invalid", 0.001),
    ]);
  });

  test("stay apart where they are about different things", () => {
    const missing = (of: string) => warning("counters-missing", "sound", ["rps"], { of });
    expect(
      withWarnings([missing("the gateway"), missing("the upstream")], [missing("the gateway")]).warnings,
    ).toHaveLength(2);
    const errors = (figures: Run["warnings"][0]["figures"]) =>
      warning("errors", "invalid", figures, { fraction: 1, allowed: 0, kinds: "" });
    expect(withWarnings([errors(["rps"]), errors(["tlsTps"])]).warnings).toHaveLength(2);
  });
});
