import type { GeneratorPlan, Load, RequestSpec, Target, TlsProfile } from "@gatebench/core/contract";
import { expectGolden } from "./golden";
import { k6, type K6Options } from "./k6";

const request: RequestSpec = { method: "GET", path: "/1k.txt", headers: {}, expect: 200 };
const target: Target = { scheme: "http", host: "gateway.example", port: 8080, requests: [request], cpus: 4 };
const tls: TlsProfile = {
  version: "1.2",
  cipher: "ECDHE-RSA-AES256-GCM-SHA384",
  curve: "X25519",
  key: "rsa-2048",
  resumption: false,
};
const keyed = [1, 2].map((n) => ({
  ...request,
  path: `/${n}`,
  headers: { "x-api-key": `<gatebench:consumer-${n}.key>` },
}));
const closed: Load = { model: "closed", connections: 50, duration: "30s" };
const users: Load = { model: "users", users: 50, duration: "30s" };

const jobOf = (plan: GeneratorPlan) => (plan.kind === "containers" ? plan.job : fail());
const fail = () => {
  throw new Error("not a plan of containers");
};
const planOf = (load: Load, to: Partial<Target> = {}, options: K6Options = {}) =>
  jobOf(k6(options).plan(load, { ...target, ...to }));
const scriptOf = (...args: Parameters<typeof planOf>) => planOf(...args).files?.["script.js"] ?? "";

describe("a script", () => {
  const user = 'import http from "k6/http";\nexport default () => http.get(__ENV.GATEBENCH_URL);\n';
  const cases: readonly (readonly [string, Load, Partial<Target>, K6Options])[] = [
    ["closed.js", closed, {}, {}],
    ["closed-paced.js", { model: "closed", connections: 50, duration: "30s", pacePerConnection: 10 }, {}, {}],
    ["closed-per-request.js", { ...closed, connection: "per-request" }, { scheme: "https", tls }, {}],
    ["open.js", { model: "open", ratePerS: 1000, maxInFlight: 200, duration: "1m" }, { requests: keyed }, {}],
    ["users.js", { ...users, startWithin: "10s", think: { min: "500ms", max: "2s" } }, {}, {}],
    [
      "iterations.js",
      { model: "iterations", users: 50, perUser: 100, startWithin: "5s", spread: "normal" },
      { requests: keyed },
      {},
    ],
    ["user-script.js", users, {}, { script: user }],
  ];

  test.each(cases)("%s is what a user of k6 would write", (file, load, to, options) => {
    expectGolden(file, scriptOf(load, to, options));
  });

  test("starts users one after the other, at a rate", () => {
    expect(scriptOf({ ...users, spawnPerS: 20 })).toContain("const spacingS = 0.05;\n");
  });

  test.each([
    [2.5, `"rate":25,"timeUnit":"10s"`],
    [400, `"rate":400,"timeUnit":"1s"`],
    [0.125, `"rate":125,"timeUnit":"1000s"`],
  ])("counts %d arrivals per second in whole numbers", (ratePerS, text) => {
    expect(scriptOf({ model: "open", ratePerS, maxInFlight: 5, duration: "10s" })).toContain(text);
  });

  test("offers the one version of TLS, and its cipher where that is a choice", () => {
    expect(scriptOf(closed, { scheme: "https", tls })).toContain(
      `  tlsVersion: { min: "tls1.2", max: "tls1.2" },\n  tlsCipherSuites: ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"],\n`,
    );
    expect(scriptOf(closed, { scheme: "https", tls: { ...tls, version: "1.3" } })).not.toContain("tlsCipherSuites");
  });

  test("counts the statuses that are expected, or asked for", () => {
    const counted = scriptOf(closed, { requests: [{ ...request, expect: 207 }] }, { statuses: [418] });
    expect(counted).toMatch(/"status":\[0,200,201,202,204,206,207,.*415,418,422/);
  });
});

describe("a plan", () => {
  test("is one command, that speaks HTTP/1.1 and listens nowhere", () => {
    const { command, env, killAfterS } = planOf(closed);
    expect(command.join(" ")).toBe("k6 run --quiet --no-color --no-usage-report --address= <gatebench:file.script.js>");
    expect(env).toEqual({ GODEBUG: "http2client=0" });
    expect(killAfterS).toBe(30 + 30 + 1);
  });

  test("gives a user's script the target", () => {
    const script = "export default function () {}\n";
    const { env, files, killAfterS } = planOf(closed, { requests: keyed }, { script, timeout: "5s" });
    expect(env).toEqual({
      GODEBUG: "http2client=0",
      GATEBENCH_URL: "http://gateway.example:8080",
      GATEBENCH_HEADERS: `{"Host":"gateway.example","User-Agent":"hey/0.0.1","Content-Type":"text/plain","X-Api-Key":"<gatebench:consumer-1.key>"}`,
    });
    expect(files?.["user.js"]).toBe(script);
    expect(JSON.parse(files?.["requests.json"] ?? "")[1]).toEqual({
      method: "GET",
      url: "http://gateway.example:8080/2",
      body: null,
      params: {
        headers: {
          Host: "gateway.example",
          "User-Agent": "hey/0.0.1",
          "Content-Type": "text/plain",
          "X-Api-Key": "<gatebench:consumer-2.key>",
        },
        timeout: "5s",
      },
    });
    expect(killAfterS).toBe(30 + 30 + 1 + 120);
  });

  test("has as many threads as were asked for", () => {
    expect(planOf({ ...closed, threads: 2 } as Load).env).toEqual({ GODEBUG: "http2client=0", GOMAXPROCS: "2" });
  });

  test("waits for the slowest iterations there can be", () => {
    expect(planOf({ model: "iterations", users: 50, perUser: 3, startWithin: "5s" }).killAfterS).toBe(66 + 30 + 1);
  });

  const refusals: readonly (readonly [string, Load, Partial<Target>, K6Options])[] = [
    [
      "invalid-load: k6 counts arrivals in whole thousandths per second, and 0.33333/s is none. Ask for 0.333/s.",
      { model: "open", ratePerS: 0.33333, maxInFlight: 5, duration: "10s" },
      {},
      {},
    ],
    [
      'invalid-load: users start at a rate or within a time; drop "spawnPerS" or "startWithin".',
      { ...users, spawnPerS: 5, startWithin: "10s" } as Load,
      {},
      {},
    ],
    [
      "invalid-load: the last of 50 users would start after 49 s of a load of 30s. Give a longer duration, fewer users, or a faster start.",
      { ...users, spawnPerS: 1 } as Load,
      {},
      {},
    ],
    [
      'unsupported-load: k6 cannot offer the cipher "DHE-RSA-AES256-SHA". It can: ECDHE-RSA-AES256-GCM-SHA384, ECDHE-RSA-AES128-GCM-SHA256, ECDHE-RSA-CHACHA20-POLY1305, ECDHE-RSA-AES128-SHA256, ECDHE-RSA-AES256-SHA, ECDHE-RSA-AES128-SHA. Choose one of these, or another generator.',
      closed,
      { scheme: "https", tls: { ...tls, cipher: "DHE-RSA-AES256-SHA" } },
      {},
    ],
    [`invalid-option: k6's timeout cannot be "0s"; give more than "0s", such as "20s".`, closed, {}, { timeout: "0s" }],
    [
      "invalid-option: k6 cannot count the status 99, 200.5; statuses are whole numbers from 100 to 999.",
      closed,
      {},
      { statuses: [99, 200.5, 418] },
    ],
    [
      `invalid-option: k6's script has no default function to run; begin it with "export default function () {".`,
      closed,
      {},
      { script: "export function main() {}" },
    ],
  ];

  test.each(refusals)("refuses: %s", (sentence, load, to, options) => {
    expect(() => planOf(load, to, options)).toThrow(new Error(sentence));
  });
});
