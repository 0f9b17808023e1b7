import { resolveScenario, unknownReferences, type Scenario } from "../contract";
import { payload } from "./payload";
import { staticPayload } from "./static-payload";

const ports = { http: 9001, https: 9002, status: 9003 };

function workloadFor(scenario: Partial<Scenario> = {}, { index = 1, workers = 2 } = {}) {
  const { upstream, tls, scheme } = resolveScenario({ name: "x", ...scenario });
  const served = scheme === "https" ? { tls } : {};
  return staticPayload().workload({ index, behaviour: upstream, ...served, ports, workers });
}

const confFor = (...given: Parameters<typeof workloadFor>) => workloadFor(...given).files?.["nginx.conf"] as string;

test("it answers with as many bytes as asked for", () => {
  expect(confFor({ upstream: { responseBytes: 12 } })).toContain('return 200 "ABCDEFGHIJKL";');
  expect(confFor({ upstream: { responseBytes: 0 } })).toContain('return 200 "";');
});

test("a body longer than a text nginx can read is put together from parts it can", () => {
  const conf = confFor({ upstream: { responseBytes: 2 * 1024 * 1024 + 3 * 1024 + 5 } });
  expect(conf).toContain('return 200 "$m$m$k$k$k$rest";');
  expect(conf).toContain('default "ABCDE";');
  expect(Math.max(...conf.split("\n").map((line) => line.length))).toBeLessThan(4096);
});

test("the body is known in advance", () => {
  expect(staticPayload().answer({ responseBytes: 100 })).toEqual({ path: "/", body: { text: payload(100) } });
  expect(staticPayload().answer({}).body?.text).toHaveLength(1024);
  expect(payload(100)).toHaveLength(100);
});

test("each upstream says which it is", () => {
  expect(confFor({}, { index: 2 })).toContain("add_header x-upstream upstream-2 always;");
  expect(staticPayload().label?.(2)).toBe("upstream-2");
  expect(workloadFor({}, { index: 2 }).name).toBe("upstream-2");
});

test("it serves TLS on its own port with the scenario's profile, and only where the scenario is https", () => {
  const conf = confFor({ scheme: "https", tls: { cipher: "ECDHE-RSA-AES128-GCM-SHA256" } });
  expect(conf).toContain("listen <gatebench:bind>:9002 ssl");
  expect(conf).toContain("ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256;");
  expect(conf).toContain("ssl_session_tickets off;");
  expect(confFor()).not.toContain("ssl");
  expect(Object.keys(workloadFor().files ?? {})).toEqual(["nginx.conf"]);
});

test("gateways reach it over http, and a generator without one over https too", () => {
  expect(staticPayload().address("10.0.0.1", ports)).toEqual({ host: "10.0.0.1", port: 9001, securePort: 9002 });
});

test("reading its counters adds one request and one connection for each page", () => {
  const pages = staticPayload().counters?.(ports) ?? [];
  expect(pages.map(({ port, path, adds }) => [port, path, adds])).toEqual([
    [9003, "/status", { requests: 1, connections: 1 }],
    [9003, "/failures", { requests: 1, connections: 1 }],
  ]);
});

test("it uses the workers it is given, a pinned image, and no reference that nothing provides", () => {
  const workload = workloadFor({ scheme: "https" }, { workers: 5 });
  expect(workload.image).toBe(`nginx:${staticPayload().version}`);
  expect(workload.files?.["nginx.conf"]).toContain("worker_processes 5;");
  const known = ["certificate.certificate", "certificate.key"];
  expect(unknownReferences([JSON.stringify(workload)], known, "static-payload")).toEqual([]);
});

test("it cannot wait, and says who can", () => {
  const { upstream } = resolveScenario({ name: "x", upstream: { delay: "10ms" } });
  expect(staticPayload().unsupported(upstream)).toEqual([
    {
      code: "unsupported-policy",
      message:
        "the upstream static-payload cannot wait 10ms before it answers. It can: answer with any number of bytes, echo a body. Drop the delay, or choose an upstream that can wait, such as go-bench-suite.",
    },
  ]);
  expect(staticPayload().unsupported(resolveScenario({ name: "x" }).upstream)).toEqual([]);
});
