import { resolveScenario, type LiveTarget, type Observations } from "../../contract";
import { httpFiles } from "./curl-config";
import { redirectsHttp } from "./redirect-law";

const scenario = resolveScenario({ name: "a", scheme: "https", redirectHttp: true });
const target: LiveTarget = {
  ...{ scheme: "https", host: "10.0.0.11", port: 18_001, redirectPort: 18_003, upstreams: [] },
  requests: [{ method: "POST", path: "/Route-1/", headers: { apikey: "secret" }, body: "{}", expect: 200 }],
};
const answered = (status: number, location?: string): Observations => ({
  redirect: {
    kind: "http",
    responses: [{ status, headers: location === undefined ? {} : { location }, bodyBytes: 0 }],
    elapsedS: 0,
  },
});
const check = (seen: Observations, changes: Partial<LiveTarget> = {}) =>
  redirectsHttp.check(seen, scenario, { ...target, ...changes });
const broken = (reason: string) => ({ verdict: "broken", reason });

test("is looked at where the scenario asks for it", () => {
  expect(redirectsHttp.appliesTo(scenario)).toBe(true);
  expect(redirectsHttp.appliesTo(resolveScenario({ name: "b", scheme: "https" }))).toBe(false);
});

test("one request over plain HTTP to the port beside the entry, without a credential", () => {
  const [probe, ...others] = redirectsHttp.probes(scenario, target);
  expect(others).toEqual([]);
  if (probe?.kind !== "http") throw new Error("no request");
  const files = httpFiles(probe, target);
  expect(files["redirect.curl"]).toContain('url = "http://10.0.0.11:18003/Route-1/');
  expect(Object.values(files).join("\n")).not.toContain("secret");
});

// Headers come in small letters.
test.each([301, 302, 307, 308])("%i to the entry holds", (status) => {
  expect(check(answered(status, "https://10.0.0.11:18001/route-1/"))).toEqual({ verdict: "held" });
});

test("where the host is a reference still, scheme, port and path are compared", () => {
  const host = "<gatebench:address.nginx>";
  expect(check(answered(301, "https://any:18001/route-1/"), { host })).toEqual({ verdict: "held" });
  expect(check(answered(301, "https://any:443/route-1/"), { host }).verdict).toBe("broken");
});

test.each([
  ["https://10.0.0.11/route-1/"],
  ["https://10.0.0.11:18001/"],
  ["http://10.0.0.11:18001/route-1/"],
  ["https://10.0.0.12:18001/route-1/"],
])("a redirect to %s does not", (location) => {
  expect(check(answered(301, location))).toEqual(broken(`plain HTTP is redirected to ${location}, not to the entry`));
});

test("an answer, or none, is no redirect", () => {
  expect(check(answered(200))).toEqual(broken("plain HTTP was answered with 200, which is no redirect"));
  expect(check(answered(301))).toEqual(broken("plain HTTP is redirected to nowhere, not to the entry"));
  const silent = { redirect: { kind: "http" as const, responses: [], elapsedS: 0, error: "curl ended with 7" } };
  expect(check(silent)).toEqual(broken("curl ended with 7"));
});

test("a gateway without such a port breaks it; where there is no gateway it is not tested", () => {
  expect(check({}, { redirectPort: undefined })).toEqual(broken("no port of it answers plain HTTP"));
  expect(redirectsHttp.probes(scenario, { ...target, redirectPort: undefined })).toEqual([]);
  expect(check({}, { direct: true }).verdict).toBe("untested");
});
