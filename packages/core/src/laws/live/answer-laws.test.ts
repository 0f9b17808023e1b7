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
  echo: { path: "/one/echo" },
};
const answers = (
  statuses: readonly number[],
  bodySha256 = "right",
  error?: string,
  bodyBytes = bodySha256 === "right" ? 10 : 11,
): HttpObservation => ({
  kind: "http",
  responses: statuses.map((status) => ({ status, headers: {}, bodyBytes, bodySha256 })),
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
  test("what changes from answer to answer is taken out of them, and a length that never changes is held to", () => {
    const changing = { ...target, payload: { sha256: "rest", without: "[0-9]+" } };
    expect(leavesAnswersUnchanged.probes(scenario, changing)).toMatchObject([{ bodies: true, without: "[0-9]+" }]);
    expect(check(answers([200, 200], "rest"), changing)).toEqual({ verdict: "held" });
    expect(check(answers([200, 200], "other"), changing)).toEqual({
      verdict: "broken",
      reason: "2 of 2 answers had another body: 11 bytes where the upstream sent others",
    });
    const sized = { ...changing, payload: { ...changing.payload, bytes: 1024 } };
    expect(check(answers([200, 200], "rest"), sized)).toEqual({
      verdict: "broken",
      reason: "2 of 2 answers had another body: 11 bytes where the upstream sent 1024",
    });
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
  test("it goes where the upstream echoes, with the first request's headers", () => {
    const [probe] = leavesRequestsUnchanged.probes(scenario, target);
    expect(probe).toMatchObject({ requests: [{ method: "POST", path: "/one/echo", body: echoed.body, headers: {} }] });
  });
  test("held where the upstream saw what was sent", () => {
    expect(check(answers([200], echoed.sha256, undefined, echoed.bytes))).toEqual({ verdict: "held" });
  });
  test("an upstream that wraps the body is held to what is left of its answer", () => {
    const wrapped = { ...target, echo: { path: "/echo", answer: { sha256: "inner", without: "^.*body: " } } };
    expect(leavesRequestsUnchanged.probes(scenario, wrapped)).toMatchObject([{ without: "^.*body: " }]);
    expect(check(answers([200], "inner"), wrapped)).toEqual({ verdict: "held" });
    expect(check(answers([200], "other"), wrapped)).toEqual({
      verdict: "broken",
      reason: "of a body of 8082 bytes the upstream saw another one",
    });
  });
  test("broken by another body, and by another status", () => {
    const reason = "of a body of 8082 bytes the upstream saw another one of 10 bytes";
    expect(check(answers([200]))).toEqual({ verdict: "broken", reason });
    expect(check(answers([405]))).toEqual({ verdict: "broken", reason: "a POST was answered with 405" });
  });
  test("untested where the upstream cannot echo", () => {
    const mute = { ...target, echo: undefined };
    expect(leavesRequestsUnchanged.probes(scenario, mute)).toEqual([]);
    expect(leavesRequestsUnchanged.check({}, scenario, mute).verdict).toBe("untested");
  });
});
