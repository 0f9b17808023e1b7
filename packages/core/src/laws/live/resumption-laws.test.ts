import { resolveScenario, type LiveTarget, type TlsObservation, type TlsProfile } from "../../contract";
import { refusesResumptionById, refusesResumptionByTicket, resumesSessions } from "./resumption-laws";

const target: LiveTarget = { scheme: "https", host: "h", port: 1, requests: [], upstreams: [] };
const scenario = (tls: Partial<TlsProfile> = {}) => resolveScenario({ name: "a", scheme: "https", tls });
const seen = (resumed: number, of = 10, more: Partial<TlsObservation> = {}): TlsObservation => ({
  kind: "tls",
  connected: true,
  ticket: true,
  reused: Array.from({ length: of }, (_, index) => index < resumed),
  ...more,
});
const laws = [refusesResumptionById, refusesResumptionByTicket, resumesSessions];
const applying = (tls: Partial<TlsProfile>) => laws.map((law) => law.appliesTo(scenario(tls)));
const byId = (observation: TlsObservation) =>
  refusesResumptionById.check({ "resume-id": observation }, scenario(), target);
const byTicket = (observation: TlsObservation) =>
  refusesResumptionByTicket.check({ "resume-ticket": observation }, scenario(), target);
const resumes = (id: TlsObservation, ticket: TlsObservation) =>
  resumesSessions.check({ "resume-id": id, "resume-ticket": ticket }, scenario({ resumption: true }), target);

test("sessions are to be refused or resumed, as asked; TLS 1.3 knows tickets only", () => {
  expect(applying({})).toEqual([true, true, false]);
  expect(applying({ version: "1.3" })).toEqual([false, true, false]);
  expect(applying({ resumption: true })).toEqual([false, false, true]);
  expect(laws.some((law) => law.appliesTo(resolveScenario({ name: "b" })))).toBe(false);
});

test("held where every attempt led to a full handshake, or there was nothing to resume with", () => {
  const found = [byId(seen(0)), byTicket(seen(0)), byId(seen(0, 0)), byTicket(seen(0, 0))];
  expect(found).toEqual(Array(4).fill({ verdict: "held" }));
});

test("broken by a single resumed handshake", () => {
  expect(byId(seen(1))).toEqual({ verdict: "broken", reason: "1 of 10 handshakes resumed a session by its ID" });
  expect(byTicket(seen(10))).toEqual({ verdict: "broken", reason: "10 of 10 handshakes resumed a session by ticket" });
});

test("a session resumed without a ticket was resumed by its ID", () => {
  expect(byTicket(seen(10, 10, { ticket: false }))).toEqual({ verdict: "held" });
});

test("untested where a handshake failed", () => {
  const failed = seen(0, 0, { connected: false, error: "alert" });
  expect(byId(failed)).toEqual({ verdict: "untested", reason: "there was no handshake to resume" });
  expect(byId(seen(0, 3, { error: "timed out" }))).toEqual({
    verdict: "untested",
    reason: "an attempt to resume failed: timed out",
  });
});

test("asked for, one way to resume is enough", () => {
  expect(resumes(seen(0, 0), seen(10))).toEqual({ verdict: "held" });
  expect(resumes(seen(5), seen(0))).toEqual({ verdict: "held" });
});

test("asked for, resumption that seldom happens is none", () => {
  expect(resumes(seen(0, 0), seen(4))).toEqual({
    verdict: "broken",
    reason: "no session was given that could be resumed by its ID, 4 of 10 handshakes resumed a session by ticket",
  });
});

test("asked for, and no handshake: untested", () => {
  const failed = seen(0, 0, { connected: false, error: "alert" });
  expect(resumes(failed, failed).verdict).toBe("untested");
});
