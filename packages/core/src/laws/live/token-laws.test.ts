import { consumers, resolveScenario, type LiveTarget } from "../../contract";
import { refusesMissingCredential } from "./credential-laws";
import { refusesBlacklistedToken, refusesExpiredToken } from "./token-laws";

const [consumer] = consumers(1);
const scenario = resolveScenario({ name: "a", auth: "external" });
const carrying = (headers: Record<string, string>): LiveTarget => ({
  ...{ scheme: "http", host: "h", port: 1, upstreams: [] },
  requests: [{ method: "GET", path: "/", headers, expect: 200 }],
});
const target = carrying({ cookie: `s_access=${consumer?.jwt}` });
const answered = (name: string, status: number) => ({
  [name]: { kind: "http" as const, responses: [{ status, headers: {}, bodyBytes: 0 }], elapsedS: 0 },
});

test("they are about scenarios in which somebody else decides", () => {
  for (const law of [refusesExpiredToken, refusesBlacklistedToken]) {
    expect(law.appliesTo(scenario)).toBe(true);
    expect(law.appliesTo(resolveScenario({ name: "b", auth: "key" }))).toBe(false);
  }
});

test("the same request is sent with another token of the same consumer", () => {
  const sent = [refusesExpiredToken, refusesBlacklistedToken].map((law) => {
    const [probe] = law.probes(scenario, target);
    return probe?.kind === "http" ? probe.requests[0]?.headers : undefined;
  });
  expect(sent).toEqual([
    { cookie: "s_access=<gatebench:consumer-1.expiredJwt>" },
    { cookie: "s_access=<gatebench:consumer-1.blacklistedJwt>" },
  ]);
});

test.each([
  [refusesExpiredToken, "expired-token", 401, "held"],
  [refusesExpiredToken, "expired-token", 403, "held"],
  [refusesExpiredToken, "expired-token", 200, "broken"],
  [refusesBlacklistedToken, "blacklisted-token", 403, "held"],
  [refusesBlacklistedToken, "blacklisted-token", 401, "broken"],
  [refusesBlacklistedToken, "blacklisted-token", 200, "broken"],
  [refusesMissingCredential, "no-credential", 401, "held"],
  [refusesMissingCredential, "no-credential", 403, "broken"],
] as const)("%# is judged by its status", (law, probe, status, verdict) => {
  expect(law.check(answered(probe, status), scenario, target).verdict).toBe(verdict);
});

test("what is expected stands in the reason", () => {
  expect(refusesBlacklistedToken.check(answered("blacklisted-token", 200), scenario, target)).toEqual({
    verdict: "broken",
    reason: "a request with a token on the blacklist was answered with 200 where 403 was expected",
  });
});

test("requests without a token show nothing", () => {
  const bare = carrying({ host: "a" });
  expect(refusesExpiredToken.check(answered("expired-token", 401), scenario, bare).verdict).toBe("untested");
});
