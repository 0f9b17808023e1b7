import { checkBenchmark, type Deployment, type RateLimit } from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { fakeGenerator } from "@gatebench/core/testing";
import { drawn, expectGolden, goldenScenarios, onlyWorkload, textOf } from "../golden";
import { nginx } from "./nginx";

for (const law of gatewayLaws) test(law.name, () => law.check(nginx()));

for (const scenario of goldenScenarios)
  test(`renders ${scenario.name} as a vendor has reviewed it`, () => {
    const files = onlyWorkload(drawn(nginx(), scenario)).files ?? {};
    expectGolden(__dirname, `${scenario.name}.conf`, files["nginx.conf"] as string);
  });

test("renders a redirect of HTTP as a vendor has reviewed it, on a port that is listened on only then", () => {
  const asked = { name: "redirect", scheme: "https" } as const;
  const [without, within] = [asked, { ...asked, redirectHttp: true }].map((one) => drawn(nginx(), one));
  expectGolden(__dirname, "redirect.conf", onlyWorkload(within as Deployment).files?.["nginx.conf"] as string);
  expect([without?.redirectPort, within?.redirectPort]).toEqual([undefined, 8003]);
  expect(onlyWorkload(without as Deployment).ports).toEqual({ entry: 8001, status: 8002 });
  expect(onlyWorkload(within as Deployment).ports).toEqual({ entry: 8001, status: 8002, redirect: 8003 });
});

const conf = (scenario: Parameters<typeof textOf>[2]) => textOf(nginx(), "nginx.conf", scenario);
const limitedTo = (rateLimit: Pick<RateLimit, "requests" | "per">) =>
  conf({ rateLimit: { ...rateLimit, scope: "gateway", store: "local" } });

test("a limit is a rate, and a bucket of what one period allows", () => {
  expect(limitedTo({ requests: 100, per: "1s" })).toContain("rate=100r/s;");
  expect(limitedTo({ requests: 100, per: "1s" })).toContain("limit_req zone=limit burst=99 nodelay;");
  expect(limitedTo({ requests: 30, per: "1m" })).toContain("rate=30r/m;");
  expect(limitedTo({ requests: 1, per: "1s" })).toContain("limit_req zone=limit nodelay;");
});

test("a limit that nginx cannot count is refused, not rounded", () => {
  expect(() => limitedTo({ requests: 1, per: "7s" })).toThrow(
    "unsupported-policy: nginx cannot limit to 1 requests per 7s: it counts whole requests per second or per minute. Choose such a limit, or leave nginx out of this row of the matrix.",
  );
});

test("such a limit is a fault of the plan, found before anything is created", () => {
  const rateLimit = { requests: 1, per: "7s", scope: "gateway", store: "local" } as const;
  const faults = checkBenchmark({
    generator: fakeGenerator(),
    targets: [{ adapter: nginx(), scenario: { name: "slow", rateLimit } }],
    load: { model: "closed", connections: 1, duration: "1s" },
    protocol: { name: "once", maxRuns: 1, next: () => undefined, answer: () => [] },
  });
  expect(faults.map(({ code }) => code)).toEqual(["unsupported-policy"]);
});

test.each<[RateLimit["scope"], string]>([
  ["gateway", "limit_req_zone gateway "],
  ["route", "limit_req_zone $route "],
  ["consumer", "limit_req_zone $consumer "],
  ["client", "limit_req_zone $binary_remote_addr "],
])("a limit per %s is counted by its own key", (scope, zone) => {
  expect(conf({ auth: "key", rateLimit: { requests: 10, per: "1s", scope, store: "local" } })).toContain(zone);
});

test("sizes of the hash stand before the first map, or nginx does not start", () => {
  const text = conf({ auth: "key" });
  expect(text.indexOf("map_hash_bucket_size")).toBeLessThan(text.indexOf("map $"));
});

test("a key in a cookie is looked for there", () => {
  expect(conf({ auth: "key", credential: "cookie" })).toContain("map $cookie_apikey $consumer {");
});

test("connections to the upstream are kept or closed in words that nginx 1.22 and 1.30 both understand", () => {
  expect(conf({})).toContain('proxy_set_header Connection "";');
  expect(conf({})).toContain("keepalive 512;");
  expect(conf({ upstream: { keepAlive: false } })).toContain("proxy_set_header Connection close;");
  expect(conf({ upstream: { keepAlive: false } })).not.toContain("keepalive 512;");
});

describe("a person's own configuration", () => {
  const own = { "nginx.conf": "listen <gatebench:bind>:<gatebench:port.entry>; include <gatebench:file.mine.conf>;" };
  const files = (asked: object, more: Readonly<Record<string, string>> = {}) =>
    onlyWorkload(drawn(nginx({ configuration: { ...own, ...more } }), { name: "drawn", ...asked })).files ?? {};

  test("stands in place of ours, with the site's values in every file and the host's still to come", () => {
    const more = { "mine.conf": "# <gatebench:upstream-1> <gatebench:consumer-1.key> <gatebench:workers>" };
    expect(files({ auth: "key" }, more)).toMatchObject({
      "nginx.conf": "listen <gatebench:bind>:8001; include <gatebench:file.mine.conf>;",
      "mine.conf": "# 127.0.0.1:9001 <gatebench:consumer-1.key> 2",
    });
  });

  test("is given what tells readiness and counts, and what the scenario asks for", () => {
    expect(Object.keys(files({}))).toEqual(["status.conf", "nginx.conf"]);
    expect(files({})["status.conf"]).toContain("listen <gatebench:bind>:8002;");
    const asked = { auth: "basic", scheme: "https" } as const;
    expect(Object.keys(files(asked))).toEqual(expect.arrayContaining(["htpasswd", "certificate.pem", "key.pem"]));
  });

  test("cannot name what the site does not have", () => {
    expect(() => files({}, { "mine.conf": "<gatebench:port.admin>" })).toThrow(
      "unknown-reference: <gatebench:port.admin> in a gateway's own configuration stands for nothing in this scenario. Known: workers, port.entry, port.status, port.redirect, upstream-1, upstream-1.host, upstream-1.port. Correct the name, or declare what it means.",
    );
  });
});

test("sessions may be resumed only where the profile says so", () => {
  expect(conf({ scheme: "https" })).toContain("ssl_session_cache off;\n        ssl_session_tickets off;");
  expect(conf({ scheme: "https", tls: { resumption: true } })).toContain("ssl_session_tickets on;");
});
