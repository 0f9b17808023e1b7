/** Upstreams other than our own, behind real nginx: go-bench-suite, and any image from plain data. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultOf, type LoadResult, type Scenario, type UpstreamBehaviour, type Verification } from "@gatebench/core";
import { onPath } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { containerUpstream, goBenchSuite, type UpstreamApp } from "@gatebench/core/upstreams";
import { direct, nginx } from "@gatebench/gateways";
import { edited } from "./altered";
import { benchProgram, leftBehind, openRig, plain, type Bench, type Rig, type Seen } from "./rig";

jest.setTimeout(120_000);

/** The real one where set-up could build it. */
const isReal = onPath("go-bench-suite");
const folder = mkdtempSync(join(tmpdir(), "gatebench-upstreams-"));
beforeAll(() => {
  if (isReal) return;
  const program = join(folder, "go-bench-suite");
  writeFileSync(
    program,
    `#!/bin/sh\nexec node ${join(__dirname, "go-bench-suite-stand-in/go-bench-suite.cjs")} "$@"\n`,
  );
  chmodSync(program, 0o755);
  process.env.PATH = `${folder}:${process.env.PATH}`;
});
afterAll(() => rmSync(folder, { recursive: true }));

let rig: Rig;
afterEach(async () => {
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});

const oneRun = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
const both: Bench["targets"] = {
  direct: { adapter: direct(), scenario: plain },
  nginx: { adapter: nginx(), scenario: plain },
};

async function measured(app: UpstreamApp, bench: Bench = {}): Promise<Seen> {
  rig = await openRig("upstreams");
  const { program, seen } = benchProgram({ targets: both, protocol: oneRun, app, ...bench });
  await rig.up(program);
  return seen;
}

const verdictsOf = ({ laws }: Verification) =>
  Object.fromEntries(laws.map(({ law, finding }) => [law, "reason" in finding ? finding.reason : finding.verdict]));

const untold = {
  "keeps its connections to the upstream as asked": "the upstream counts nothing",
  "asks the upstream every time": "the upstream counts nothing",
};
const answers = {
  "answers with the expected status": "held",
  "leaves the upstream's answer unchanged": "held",
  "leaves a request's body unchanged": "held",
};

function expectMeasured({ verifications, runs }: Seen, targets: readonly string[]): void {
  for (const target of targets)
    expect([target, verdictsOf(verifications[target] as Verification)]).toEqual([target, { ...answers, ...untold }]);
  expect(runs).toHaveLength(targets.length);
  for (const { responses, statuses } of runs.map((run) => resultOf(run) as LoadResult)) {
    expect(responses).toBeGreaterThan(10);
    expect(statuses).toEqual({ "2xx-3xx": responses });
  }
}

describe(isReal ? "go-bench-suite" : "a stand-in for go-bench-suite", () => {
  test("its JSON passes the gateway as it is but for the time, and is measured", async () => {
    const seen = await measured(goBenchSuite());
    expectMeasured(seen, ["direct", "nginx"]);
    expect(seen.cells.nginx?.upstream).toBe("go-bench-suite-json-valid");
  });

  const asked: [string, UpstreamBehaviour, string][] = [
    ["a size", { responseBytes: 5000 }, "go-bench-suite-5000"],
    ["an empty answer", { responseBytes: 0 }, "go-bench-suite-0"],
    ["a delay", { delay: "60ms" }, "go-bench-suite-0"],
  ];
  test.each(asked)("it gives what is asked of it: %s", async (_, upstream, name) => {
    const seen = await measured(goBenchSuite(), { upstream });
    expectMeasured(seen, ["direct", "nginx"]);
    expect(seen.cells.nginx?.upstream).toBe(name);
    const { p50 } = (resultOf(seen.runs[0]!) as LoadResult).latencyMs;
    if (upstream.delay) expect(p50).toBeGreaterThanOrEqual(60);
  });

  test("with several routes, the path stands behind each", async () => {
    const scenario: Scenario = { name: "routes", routes: 3 };
    expectMeasured(await measured(goBenchSuite(), { targets: { routes: { adapter: nginx(), scenario } } }), ["routes"]);
  });

  const changing = (substitution: string) =>
    edited(nginx(), ["proxy_pass http://upstreams/;", `proxy_pass http://upstreams/; ${substitution}`]);
  const broken: [string, string, UpstreamBehaviour, string][] = [
    ["a word of its JSON", "sub_filter time hour; sub_filter_types *;", {}, "leaves the upstream's answer unchanged"],
    ["the length of its answer", 'return 200 "abc";', { responseBytes: 100 }, "leaves the upstream's answer unchanged"],
    ["a request's body", 'proxy_set_body "short";', {}, "leaves a request's body unchanged"],
  ];
  test.each(broken)("a gateway that changes %s is found out", async (_, change, upstream, law) => {
    const targets = { changing: { adapter: changing(change), scenario: plain } };
    const { verifications, runs } = await measured(goBenchSuite(), { targets, upstream });
    expect(verdictsOf(verifications.changing as Verification)[law]).toMatch(/another/);
    expect(runs.filter((run) => resultOf(run))).toEqual([]);
  });

  test("of several none is told from another, and that is said", async () => {
    const scenario: Scenario = { name: "round-robin", balancing: "round-robin" };
    const targets = { nginx: { adapter: nginx(), scenario } };
    const { verifications } = await measured(goBenchSuite(), { targets, upstream: { count: 2 } });
    expect(verdictsOf(verifications.nginx as Verification)).toMatchObject({
      ...answers,
      "reaches every upstream": "the upstreams have no names to be told by",
      "splits requests evenly": "the upstreams have no names to be told by",
    });
  });
});

test("an image and its command are an upstream, verified and measured", async () => {
  const app = containerUpstream({
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
  const { verifications, runs, cells } = await measured(app);
  expect(verdictsOf(verifications.nginx as Verification)).toEqual({
    "answers with the expected status": "held",
    "leaves the upstream's answer unchanged": "held",
    "leaves a request's body unchanged": "the upstream has no path that answers with the body it was sent",
    "keeps its connections to the upstream as asked": "held",
    "asks the upstream every time": "held",
  });
  expect(runs.map((run) => run.counters?.upstream?.requests ?? 0).filter((count) => count > 100)).toHaveLength(2);
  expect(cells.nginx?.upstream).toBe("hello-6");
});

test("a method that the upstream does not answer is refused before anything is created", async () => {
  const scenario: Scenario = { name: "post", request: { method: "POST", body: "x" } };
  const targets = { nginx: { adapter: nginx(), scenario } };
  await expect(measured(goBenchSuite(), { targets })).rejects.toThrow(
    'unsupported-policy: the upstream go-bench-suite does not answer POST at /json/valid, which scenario "post" asks for. It answers: GET. Change the method, or choose an upstream that answers it, such as static-payload.',
  );
});
