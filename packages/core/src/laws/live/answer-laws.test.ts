import { createHash } from "node:crypto";
import { resolveScenario, type HttpObservation, type LiveTarget, type RequestSpec } from "../../contract";
import { answersAsExpected, leavesAnswersUnchanged, leavesRequestsUnchanged } from "./answer-laws";
import { echoed } from "./echoed";

const get = (path: string): RequestSpec => ({ method: "GET", path, headers: {}, expect: 200 });
const scenario = resolveScenario({ name: "a" });
const tight = resolveScenario({ name: "b", rateLimit: { requests: 5, per: "60s", scope: "client", store: "local" } });
const target: LiveTarget = {
  scheme: "http",
  host: "h",
  port: 1,
  requests: [get("/one"), get("/two")],
  upstreams: ["u"],
  payload: { sha256: "right", bytes: 10 },
  echoPath: "/echo",
};
const answers = (statuses: readonly number[], bodySha256 = "right", error?: string): HttpObservation => ({
  kind: "http",
  responses: statuses.map((status) => ({ status, headers: {}, bodyBytes: 11, bodySha256 })),
  elapsedS: 0,
  ...(error ? { error } : {}),
});

describe("answers with the expected status", () => {
  const check = (answer: HttpObservation, asked = scenario) => answersAsExpected.check({ answer }, asked, target);

  test("held where every request has its status", () => {
    expect(check(answers([200, 200]))).toEqual({ verdict: "held" });
  });
  test("broken by another status, with the request that got it", () => {
    const reason = "GET /two was answered with 502 where 200 was expected";
    expect(check(answers([200, 502]))).toEqual({ verdict: "broken", reason });
  });
  test("broken where an answer is missing", () => {
    expect(check(answers([200], "", "curl ended with 28"))).toEqual({
      verdict: "broken",
      reason: "curl ended with 28",
    });
  });
  test("untested where a low limit refused, broken where none was asked", () => {
    const refused = answers([429]);
    expect(check(refused, tight)).toEqual({ verdict: "untested", reason: "the rate limit refused the request" });
    expect(check(refused).verdict).toBe("broken");
  });
  test("tries at most eight routes and consumers, the first and the last among them", () => {
    const requests = Array.from({ length: 100 }, (_, index) => get(`/${index}`));
    const [probe] = answersAsExpected.probes(scenario, { ...target, requests });
    const paths = probe?.kind === "http" ? probe.requests.map(({ path }) => path) : [];
    expect(paths).toEqual(["/0", "/14", "/28", "/42", "/57", "/71", "/85", "/99"]);
  });
});

describe("leaves the upstream's answer unchanged", () => {
  const check = (answer: HttpObservation, aim = target) => leavesAnswersUnchanged.check({ answer }, scenario, aim);

  test("held where the bodies are those the upstream sends", () => {
    expect(check(answers([200, 200]))).toEqual({ verdict: "held" });
  });
  test("broken by another body", () => {
    const reason = "2 of 2 answers had another body: 11 bytes where the upstream sent 10";
    expect(check(answers([200, 200], "wrong"))).toEqual({ verdict: "broken", reason });
  });
  test("untested where there was no good answer, or nobody knows what is sent", () => {
    expect(check(answers([502, 502]))).toEqual({ verdict: "untested", reason: "no answer had the expected status" });
    const unknown = { ...target, payload: undefined };
    expect(check(answers([200]), unknown).verdict).toBe("untested");
  });
});

describe("leaves a request's body unchanged", () => {
  const check = (echo: HttpObservation, aim = target) => leavesRequestsUnchanged.check({ echo }, scenario, aim);

  test("what is sent is what its hash says", () => {
    expect(createHash("sha256").update(echoed.body).digest("hex")).toBe(echoed.sha256);
    expect(Buffer.byteLength(echoed.body)).toBe(echoed.bytes);
  });
  test("a body is sent where the upstream gives it back", () => {
    const [probe] = leavesRequestsUnchanged.probes(scenario, { ...target, echoPath: "/route-1/echo" });
    expect(probe).toMatchObject({ requests: [{ method: "POST", path: "/route-1/echo", body: echoed.body }] });
  });
  test("held where the upstream saw what was sent", () => {
    expect(check(answers([200], echoed.sha256))).toEqual({ verdict: "held" });
  });
  test("broken by another body, and by another status", () => {
    const reason = "of a body of 8082 bytes the upstream saw another one of 11 bytes";
    expect(check(answers([200]))).toEqual({ verdict: "broken", reason });
    expect(check(answers([405]))).toEqual({ verdict: "broken", reason: "a POST was answered with 405" });
  });
  test("untested where the upstream cannot echo", () => {
    const mute = { ...target, echoPath: undefined };
    expect(leavesRequestsUnchanged.probes(scenario, mute)).toEqual([]);
    expect(leavesRequestsUnchanged.check({}, scenario, mute).verdict).toBe("untested");
  });
});
