import { resolveScenario, type Counters, type Load, type LoadResult, type Scenario } from "../contract";
import { asksTlsTps, runWarnings, tlsTpsOf, type RunFacts } from ".";
import { sampleFacts, sampleLoad, sampleResult } from "./sample-run";

const asked: Load = { ...sampleLoad, connection: "per-request" };
const https = (changes: Partial<Scenario> = {}) => resolveScenario({ name: "handshakes", scheme: "https", ...changes });

/** A clean TLS run: 30,000 responses in 30 s, each over a connection of its own. */
function facts(changes: Partial<RunFacts> = {}, gateway: Counters = {}, result: Partial<LoadResult> = {}): RunFacts {
  const counted = { requests: 30_010, connections: 30_010, ...gateway };
  return sampleFacts({
    ...{ asked, scenario: https(), resumptionRefused: true, result: sampleResult(result) },
    counters: { gateway: counted, upstream: { requests: 30_010, connections: 64 } },
    ...changes,
  });
}
const warningsOf = (given: RunFacts) =>
  runWarnings(given).flatMap(({ code, cap, figures }) => (figures.length === 1 ? `${code} ${cap}` : []));

test("each response over a connection of its own, none failed, none resumed: responses per second", () => {
  expect(tlsTpsOf(facts())).toBe(1000);
  expect(runWarnings(facts())).toEqual([]);
});

test("only https with a connection per request asks for it, and no resumption", () => {
  expect(asksTlsTps(asked, https())).toBe(true);
  expect(asksTlsTps(sampleLoad, https())).toBe(false);
  expect(asksTlsTps(asked, resolveScenario({ name: "plain" }))).toBe(false);
  expect(asksTlsTps(asked, https({ tls: { resumption: true } }))).toBe(false);
  expect(tlsTpsOf(facts({ asked: sampleLoad }))).toBeUndefined();
  expect(tlsTpsOf(facts({ scenario: resolveScenario({ name: "plain" }) }))).toBeUndefined();
});

test("without resumption shown refused it is not a count of handshakes", () => {
  const unshown = facts({ resumptionRefused: false });
  expect(tlsTpsOf(unshown)).toBeUndefined();
  expect(warningsOf(unshown)).toEqual(["not-verified invalid"]);
});

test("sessions the gateway resumed all the same leave none", () => {
  const resumed = facts({}, { resumptions: 1 });
  expect([tlsTpsOf(resumed), warningsOf(resumed)]).toEqual([undefined, ["connections-reused invalid"]]);
});

test("one error leaves none", () => {
  const failed = [facts({}, {}, { errors: { tls: 1 } }), facts({}, {}, { statuses: { "200": 29_999, "503": 1 } })];
  for (const given of failed) expect([tlsTpsOf(given), warningsOf(given)]).toEqual([undefined, ["errors invalid"]]);
});

test("connections and responses differ by no more than what was in flight", () => {
  expect(tlsTpsOf(facts({}, { connections: 29_950 }))).toBe(1000);
  expect(tlsTpsOf(facts({}, { connections: 30_050 }))).toBe(1000);
  expect(tlsTpsOf(facts({}, { connections: 29_949 }))).toBeUndefined();
  expect(tlsTpsOf(facts({}, { connections: 30_051 }))).toBeUndefined();
  expect(warningsOf(facts({}, { connections: 30_051 }))).toEqual(["counts-disagree invalid"]);
});

test("handshakes count before connections, where the gateway counts them", () => {
  expect(tlsTpsOf(facts({}, { handshakes: 20 }))).toBeUndefined();
});

test("the tool's own word for its connections is not enough", () => {
  const silent = facts(
    { counters: { upstream: { requests: 30_000, connections: 64 } } },
    {},
    { connectionsOpened: 30_000 },
  );
  expect([tlsTpsOf(silent), warningsOf(silent)]).toEqual([undefined, ["counters-missing invalid"]]);
});

test("without a gateway the upstream counts", () => {
  const counters = { upstream: { requests: 30_000, connections: 30_000 } };
  expect(tlsTpsOf(facts({ isBaseline: true, purpose: "ceiling", counters }))).toBe(1000);
  expect(
    tlsTpsOf(facts({ isBaseline: true, counters: { upstream: { requests: 30_000, connections: 64 } } })),
  ).toBeUndefined();
});
