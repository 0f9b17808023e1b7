/** Upstreams other than our own, behind real nginx: go-bench-suite, and any image from plain data. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultOf, type LoadResult, type Verification } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { containerUpstream, goBenchSuite } from "@gatebench/core/upstreams";
import { LocalTopology, onPath } from "@gatebench/core/local";
import { direct, nginx } from "@gatebench/gateways";
import { edited } from "./altered";
import { declare, leftBehind, observe, openRig, plain, type Bench, type Rig, type Seen } from "./rig";

jest.setTimeout(180_000);

/** The real one where set-up could build it. */
const isReal = onPath("go-bench-suite");
const folder = mkdtempSync(join(tmpdir(), "gatebench-upstreams-"));

function putStandIn(): void {
  const program = join(folder, "go-bench-suite");
  writeFileSync(
    program,
    `#!/bin/sh\nexec node ${join(__dirname, "go-bench-suite-stand-in/go-bench-suite.cjs")} "$@"\n`,
  );
  chmodSync(program, 0o755);
  process.env.PATH = `${folder}:${process.env.PATH}`;
}

/** nginx stands for any program that can be told where to listen. */
const hello = containerUpstream({
  name: "hello",
  image: "nginx:1.30.4",
  command: ["nginx", "-p", "<gatebench:folder>", "-c", "<gatebench:file.hello.conf>", "-e", "stderr"],
  files: {
    "hello.conf": `
      daemon off; pid hello.pid; worker_processes <gatebench:workers>; error_log stderr crit; events {}
      http {
        client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
        access_log off; keepalive_requests 1000000;
        server {
          listen <gatebench:bind>:<gatebench:port.http>;
          location = /hello { return 200 "hello\\n"; }
          location = /status { stub_status; }
        }
      }`,
  },
  path: "/hello",
  body: "hello\n",
  counters: [
    {
      ...{ path: "/status", adds: { requests: 1, connections: 1 } },
      values: { requests: "requests\\s+\\d+\\s+\\d+\\s+(\\d+)", connections: "requests\\s+(\\d+)" },
    },
  ],
});

const both = { direct: { adapter: direct(), scenario: plain }, nginx: { adapter: nginx(), scenario: plain } };
const changing = (change: string) => ({
  nginx: {
    adapter: edited(nginx(), ["proxy_pass http://upstreams/;", `proxy_pass http://upstreams/; ${change}`]),
    scenario: plain,
  },
});

const benches = {
  json: { targets: both },
  size: { upstream: { responseBytes: 5000 } },
  empty: { upstream: { responseBytes: 0 } },
  delay: { upstream: { delay: "60ms" } },
  routes: { targets: { nginx: { adapter: nginx(), scenario: { name: "routes", routes: 3 } } } },
  several: {
    targets: { nginx: { adapter: nginx(), scenario: { name: "in-turn", balancing: "round-robin" } } },
    upstream: { count: 2 },
  },
  "other-word": { targets: changing("sub_filter time hour; sub_filter_types *;") },
  "other-length": { targets: changing('return 200 "abc";'), upstream: { responseBytes: 100 } },
  "other-request": { targets: changing('proxy_set_body "short";') },
  hello: { app: hello, targets: both },
} as const satisfies Readonly<Record<string, Bench>>;

type Name = keyof typeof benches;
const names = Object.keys(benches) as Name[];
const seen = Object.fromEntries(
  names.map((name): [Name, Seen] => [name, { runs: [], verifications: {}, cells: {}, summary: "" }]),
) as Readonly<Record<Name, Seen>>;

const defaults: Bench = {
  app: goBenchSuite(),
  targets: { nginx: both.nginx },
  protocol: repeat({ runs: 1, warmUp: false, coolDown: "0s" }),
};

let rig: Rig;
beforeAll(async () => {
  if (!isReal) putStandIn();
  rig = await openRig("upstreams");
  await rig.up(async () => {
    const site = new LocalTopology("site");
    for (const name of names) observe(declare({ ...defaults, ...benches[name], name }, site), seen[name]);
  });
});
afterAll(async () => {
  await rig.destroy();
  rmSync(folder, { recursive: true });
  expect(leftBehind()).toEqual([]);
});

const verdictsIn = (name: Name, target: string): Readonly<Record<string, string>> => {
  const { laws } = seen[name].verifications[target] as Verification;
  return Object.fromEntries(
    laws.map(({ law, finding }) => [law, "reason" in finding ? finding.reason : finding.verdict]),
  );
};

const answers = {
  "answers with the expected status": "held",
  "leaves the upstream's answer unchanged": "held",
  "leaves a request's body unchanged": "held",
};
const uncounted = {
  "keeps its connections to the upstream as asked": "the upstream counts nothing",
  "asks the upstream every time": "the upstream counts nothing",
};

const resultsOf = (name: Name) => seen[name].runs.map((run) => resultOf(run) as LoadResult);

function expectMeasured(name: Name, targets: readonly string[]): void {
  const results = resultsOf(name);
  expect(Object.keys(seen[name].verifications).sort()).toEqual(targets);
  expect(results).toHaveLength(targets.length);
  for (const { responses, statuses } of results) {
    expect(responses).toBeGreaterThan(10);
    expect(statuses).toEqual({ "2xx-3xx": responses });
  }
}

describe(isReal ? "go-bench-suite" : "a stand-in for go-bench-suite", () => {
  test("its JSON passes the gateway as it is but for the time, and is measured", () => {
    expectMeasured("json", ["direct", "nginx"]);
    for (const target of ["direct", "nginx"]) expect(verdictsIn("json", target)).toEqual({ ...answers, ...uncounted });
  });

  test.each([
    ["json", "go-bench-suite-json-valid"],
    ["size", "go-bench-suite-5000"],
    ["empty", "go-bench-suite-0"],
    ["delay", "go-bench-suite-0"],
    ["routes", "go-bench-suite-json-valid"],
  ] as const)("it gives what is asked of it: %s", (name, upstream) => {
    expectMeasured(name, name === "json" ? ["direct", "nginx"] : ["nginx"]);
    expect(verdictsIn(name, "nginx")).toEqual({ ...answers, ...uncounted });
    expect(seen[name].cells.nginx?.upstream).toBe(upstream);
  });

  test("asked to wait, it waits", () => {
    const [result] = resultsOf("delay");
    expect(result?.latencyMs.min ?? result?.latencyMs.p50).toBeGreaterThanOrEqual(60);
  });

  test("of several none is told from another, and that is said", () => {
    expectMeasured("several", ["nginx"]);
    const unnamed = "the upstreams have no names to be told by";
    expect(verdictsIn("several", "nginx")).toEqual({
      ...{ ...answers, ...uncounted },
      ...{ "reaches every upstream": unnamed, "splits requests evenly": unnamed },
    });
  });

  test.each([
    ["other-word", "leaves the upstream's answer unchanged", "1 of 1 answer had another body"],
    [
      "other-length",
      "leaves the upstream's answer unchanged",
      "1 of 1 answer had another body: 3 bytes where the upstream sent 100",
    ],
    ["other-request", "leaves a request's body unchanged", "of a body of 8082 bytes the upstream saw another one"],
  ] as const)("a gateway that changes what passes is never measured: %s", (name, law, reason) => {
    expect(verdictsIn(name, "nginx")[law]).toContain(reason);
    expect(seen[name].runs.filter((run) => resultOf(run))).toEqual([]);
  });
});

test("an image and its command are an upstream, verified and measured", () => {
  expectMeasured("hello", ["direct", "nginx"]);
  expect(verdictsIn("hello", "nginx")).toEqual({
    ...answers,
    "leaves a request's body unchanged": "the upstream has no path that answers with the body it was sent",
    "keeps its connections to the upstream as asked": "held",
    "asks the upstream every time": "held",
  });
  for (const { counters } of seen.hello.runs) expect(counters?.upstream?.requests).toBeGreaterThan(100);
  expect(seen.hello.cells.nginx?.upstream).toBe("hello-6");
});
