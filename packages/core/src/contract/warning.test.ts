import {
  type describe as sentenceOf,
  describeWarning,
  warning,
  warningSchema,
  worse,
  type Warning,
  type WarningCode,
} from "./warning";
import { caveats, describeCaveat, type Caveat } from "./load-result";

const busy = { cpuFraction: 0.95, limit: 0.8 };
const counted = { between: "generator and gateway", left: 100, right: 90, allowed: 5 };
const evidence: { readonly [C in WarningCode]: Parameters<typeof sentenceOf<C>>[0]["evidence"] } = {
  "hosts-shared": { roles: "gateway, generator" },
  "generator-busy": busy,
  "upstream-busy": busy,
  "host-saturated": { cpuFraction: 1 },
  "headroom-small": { ratio: 1.2, wanted: 2 },
  "headroom-unknown": { baseline: "direct" },
  "counts-disagree": counted,
  "statuses-disagree": { ...counted, status: "200" },
  "counters-missing": { of: "the gateway" },
  "connections-not-kept": { of: "the upstream", connections: 100, requests: 100 },
  "connections-reused": { connections: 10, requests: 100 },
  errors: { fraction: 0.1, allowed: 0.01, kinds: "reset" },
  "rate-missed": { askedPerS: 100, achievedPerS: 50 },
  dropped: { iterations: 3 },
  "generator-overloaded": { said: "CPU usage above 90%!" },
  "connections-missing": { asked: 100, missing: 64 },
  "workers-lost": { asked: 2, reported: 1 },
  "upstream-lost": { of: "upstream-2", oneOf: 2, reason: "connect ECONNREFUSED 10.77.0.21:8080" },
  "stall-hidden": { stallMs: 1000, unsent: 500 },
  unstable: { cv: 0.2, limit: 0.05 },
  "interval-wide": { relative: 0.2, wanted: 0.05 },
  "few-runs": { runs: 1, wanted: 5 },
  "few-samples": { samples: 10, wanted: 1000 },
  "short-runs": { seconds: 1, wanted: 15 },
  "samples-capped": { cap: 1_000_000 },
  "closed-loop-p99": { model: "closed" },
  "run-failed": { reason: "wrk ended with 1" },
  "no-runs": { runs: 0 },
  "verification-failed": { law: "refuses a wrong key", reason: "it answered 200" },
  "not-verified": { law: "enforces its limit", reason: "it is too high" },
  retransmits: { fraction: 0.01 },
  "accept-queue-overflow": { drops: 4 },
  steal: { fraction: 0.1 },
  "not-idle": { of: "envoy-envoy", cpuFraction: 0.02, limit: 0.01 },
  "allowance-exceeded": { host: "gateway", by: "12 pps_allowance_exceeded" },
  "target-not-reached": { goal: "the interval was narrow" },
  published: { by: "somebody" },
};
const all = Object.entries(evidence).map(([code, seen]) =>
  warning(code as "no-runs", "indicative", ["rps"], seen as { runs: number }),
);

test.each(all.map((one) => [one.code, one] as const))(
  "%s is said in one sentence with what was seen in it",
  (_, one) => {
    const sentence = describeWarning(one);
    expect(sentence).not.toMatch(/undefined|NaN|\[object|\n/);
    expect(sentence.length).toBeGreaterThan(20);
    for (const seen of Object.values(one.evidence).filter((value) => typeof value === "string"))
      expect(sentence).toContain(seen);
  },
);

test("every warning survives a file", () => {
  for (const one of all) expect(warningSchema.parse(JSON.parse(JSON.stringify(one)))).toEqual(one);
  const broken = { ...(all[0] as Warning), code: "rumour" };
  expect(warningSchema.safeParse(broken).success).toBe(false);
});

test("the worse of two grades", () => {
  expect(worse("sound", "indicative")).toBe("indicative");
  expect(worse("invalid", "indicative")).toBe("invalid");
  expect(worse("sound", "sound")).toBe("sound");
});

test.each(Object.keys(caveats) as Caveat[])("caveat %s has its words", (caveat) =>
  expect(describeCaveat(caveat)).toMatch(/^[a-z].{20,}$/),
);
