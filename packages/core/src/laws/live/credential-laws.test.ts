import { consumers, resolveScenario, type LiveTarget } from "../../contract";
import { refusesMissingCredential, refusesWrongCredential } from "./credential-laws";

const [consumer] = consumers(1);
const scenario = resolveScenario({ name: "a", auth: "key" });
const carrying = (headers: Record<string, string>): LiveTarget => ({
  scheme: "http",
  host: "h",
  port: 1,
  requests: [{ method: "GET", path: "/", headers, expect: 200 }],
  upstreams: [],
});
const keyed = carrying({ Host: "a", apikey: consumer?.key ?? "" });
const sent = (law: typeof refusesWrongCredential, target: LiveTarget) => {
  const [probe] = law.probes(scenario, target);
  return probe?.kind === "http" ? probe.requests[0]?.headers : undefined;
};
const answered = (name: string, status?: number) => ({
  [name]: {
    kind: "http" as const,
    responses: status === undefined ? [] : [{ status, headers: {}, bodyBytes: 0 }],
    elapsedS: 0,
    ...(status === undefined ? { error: "curl ended with 52" } : {}),
  },
});

test("they are about scenarios with credentials", () => {
  const laws = [refusesWrongCredential, refusesMissingCredential];
  expect(laws.map((law) => law.appliesTo(scenario))).toEqual([true, true]);
  expect(laws.map((law) => law.appliesTo(resolveScenario({ name: "b" })))).toEqual([false, false]);
});

test.each([
  ["a key", { apikey: consumer?.key }, { apikey: "wrong-key-0000000000000000000000" }],
  [
    "a name and password",
    { Authorization: `Basic ${consumer?.basicCredentials}` },
    { Authorization: "Basic bm9ib2R5Ondyb25n" },
  ],
  [
    "a token, whose signature alone is spoilt",
    { Authorization: `Bearer ${consumer?.jwt}` },
    { Authorization: `Bearer ${consumer?.jwt}A` },
  ],
  [
    "a cookie",
    { Cookie: `lang=en; key=${consumer?.key}` },
    { Cookie: "lang=en; key=wrong-key-0000000000000000000000" },
  ],
])("a wrong credential has the form of the right one: %s", (_, right, wrong) => {
  expect(sent(refusesWrongCredential, carrying({ Host: "a", ...(right as Record<string, string>) }))).toEqual({
    Host: "a",
    ...wrong,
  });
});

test("a missing credential leaves no header of its own", () => {
  expect(sent(refusesMissingCredential, keyed)).toEqual({ Host: "a" });
});

test.each([401, 403])("held where the request is refused with %s", (status) => {
  expect(refusesWrongCredential.check(answered("wrong-credential", status), scenario, keyed)).toEqual({
    verdict: "held",
  });
  expect(refusesMissingCredential.check(answered("no-credential", status), scenario, keyed)).toEqual({
    verdict: "held",
  });
});

test("broken where it is let through, and where it is refused for another reason", () => {
  const found = [200, 404].map((status) =>
    refusesWrongCredential.check(answered("wrong-credential", status), scenario, keyed),
  );
  const reason = (status: number) =>
    `a request with a wrong credential was answered with ${status} where 401 or 403 was expected`;
  expect(found).toEqual([200, 404].map((status) => ({ verdict: "broken", reason: reason(status) })));
});

test("broken where there is no answer", () => {
  const found = refusesMissingCredential.check(answered("no-credential"), scenario, keyed);
  expect(found).toEqual({ verdict: "broken", reason: "curl ended with 52" });
});

test("a request that carries none can only be missing it", () => {
  const bare = carrying({ Host: "a" });
  expect(refusesWrongCredential.check(answered("wrong-credential", 200), scenario, bare).verdict).toBe("untested");
  expect(refusesMissingCredential.check(answered("no-credential", 200), scenario, bare).verdict).toBe("broken");
});
