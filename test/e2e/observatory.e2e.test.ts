/** Real Prometheus and node exporter beside benchmarks on this machine. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { resultOf, resultSchema, type HostUsage, type QueriedFigure, type Run } from "@gatebench/core";
import { envoy, nginx } from "@gatebench/gateways";
import { k6, wrk } from "@gatebench/generators";
import { asked, exposing, figureIn, observedProgram, type ObservedSeen } from "./observed";
import { leftBehind, openRig, type Rig } from "./rig";
import { curl, pidsIn, processesOf, until } from "./tools";

jest.setTimeout(240_000);

const state = process.env.XDG_STATE_HOME as string;
const connections = 8;
const load = (duration: "2s" | "5s" | "10s") => ({ model: "closed", connections, duration }) as const;
const lengthS = ({ startedAt, endedAt }: Run) => (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;

describe("beside a benchmark of nginx and envoy", () => {
  const scraped: QueriedFigure = {
    ...{ name: "scrape-p50", unit: "s", kind: "histogram-quantile", quantile: 0.5 },
    query: 'prometheus_http_request_duration_seconds_bucket{handler="/metrics"}',
  };
  let rig: Rig;
  let seen: ObservedSeen;
  const runsOf = (target: string) => seen.runs.filter((run) => run.target === target);
  /** Where somebody takes a network interface down meanwhile, our own samples cannot tell what the machine did. */
  const sampled = () => seen.runs.filter(({ hosts }) => hosts.length > 0);

  beforeAll(async () => {
    rig = await openRig("observatory");
    const observed = observedProgram({
      targets: { nginx: nginx(), envoy: envoy() },
      ...{ generator: wrk(), load: load("10s"), runs: 2 },
      args: { queries: [scraped] },
    });
    seen = observed.seen;
    await rig.up(observed.program);
  });
  afterAll(async () => {
    await rig.destroy();
    expect(leftBehind()).toEqual([]);
    expect(processesOf(state)).toEqual([]);
  });

  test("requests by PromQL and by the generator agree within what is in flight, each run on its own", () => {
    expect(runsOf("envoy")).toHaveLength(2);
    for (const run of runsOf("envoy")) {
      const responses = resultOf(run)?.responses ?? 0;
      expect(responses).toBeGreaterThan(1000);
      expect(Math.abs((figureIn(run, "gateway-requests") as number) - responses)).toBeLessThanOrEqual(connections);
      const counted = run.counters?.gateway?.requests ?? 0;
      expect(Math.abs((figureIn(run, "gateway-requests") as number) - counted)).toBeLessThanOrEqual(connections);
    }
  });

  test("rates agree within a scrape of the window and 1 %", () => {
    for (const run of runsOf("envoy")) {
      const ratio = (figureIn(run, "gateway-rps") as number) / (resultOf(run)?.rps ?? 0);
      expect(Math.abs(ratio - 1)).toBeLessThan(1 / lengthS(run) + 0.01);
    }
  });

  test("the machine's CPU by PromQL and by our own samples agree within 5 %", () => {
    expect(sampled()).not.toEqual([]);
    for (const run of sampled()) {
      const { cpuFraction, cpus } = run.hosts[0] as HostUsage;
      const ratio = (figureIn(run, "local-host-cpu") as number) / (cpuFraction * cpus);
      expect([run.target, Math.abs(ratio - 1) < 0.05 || ratio]).toEqual([run.target, true]);
    }
  });

  test("its memory, Envoy's, and a histogram's quantile are known", () => {
    for (const run of sampled()) {
      const { memoryUsedBytes } = run.hosts[0] as HostUsage;
      // The mean of what our samples have the most of.
      const share = (figureIn(run, "local-host-memory") as number) / memoryUsedBytes;
      expect([share > 0.7, share < 1.05]).toEqual([true, true]);
      expect(figureIn(run, "scrape-p50")).toBeLessThan(1);
    }
    for (const run of runsOf("envoy")) expect(figureIn(run, "gateway-memory")).toBeGreaterThan(1e6);
  });

  test("each run has the figures of its own gateway: nginx exposes nothing", () => {
    const names = (target: string) => runsOf(target).map((run) => run.figures?.map(({ name }) => name));
    const common = ["local-host-cpu", "local-host-memory", "scrape-p50"];
    expect(names("nginx")).toEqual([common, common]);
    const own = ["gateway-requests", "gateway-rps", "gateway-memory"];
    expect(names("envoy")).toEqual([
      [...own, ...common],
      [...own, ...common],
    ]);
  });

  test("a figure stands with the query that was asked, and its samples lie beside the run's output", () => {
    const [run] = runsOf("envoy") as [Run];
    expect(run.figures?.[0]?.query).toBe(
      'envoy_http_downstream_rq_total{job="gateway-envoy",envoy_http_conn_manager_prefix="gateway"}',
    );
    expect(run.artifacts.map(({ path }) => path)).toContain("figures.json");
  });

  test("results say that it was there; what it used is not the measured ones' own, and worth no warning", () => {
    for (const { observatory, verdict } of Object.values(seen.cells)) {
      expect(observatory).toEqual({ scrapeIntervalS: 1 });
      expect(verdict.warnings.map(({ code }) => code)).not.toContain("not-idle");
    }
    for (const run of sampled()) {
      const beside = run.hosts.flatMap(({ workloads }) => workloads).filter(({ role }) => role === "observer");
      expect(beside.map(({ name }) => name).sort()).toEqual([
        "observatory-local-node-exporter",
        "observatory-prometheus",
      ]);
      // Of one CPU, at a scrape a second.
      const cpu = beside.reduce((sum, { cpuS }) => sum + cpuS, 0) / lengthS(run);
      expect([run.target, cpu < 0.1 || cpu]).toEqual([run.target, true]);
    }
  });

  test("every panel's query returns data", async () => {
    const panels = seen.observatory?.dashboards.flatMap(({ name, panels }) =>
      panels.map(({ title, query }) => [`${name}: ${title}`, query.replaceAll("$__rate_interval", "30s")] as const),
    );
    expect(panels?.length).toBeGreaterThan(12);
    const empty = await Promise.all(
      (panels ?? []).map(async ([title, query]) =>
        (await asked(seen.url as string, query)).length > 0 ? [] : [title],
      ),
    );
    expect(empty.flat()).toEqual([]);
  });

  test("a second up measures nothing anew", async () => {
    const before = seen.runs.map(({ id }) => id);
    const again = observedProgram({
      targets: { nginx: nginx(), envoy: envoy() },
      ...{ generator: wrk(), load: load("10s"), runs: 2 },
      args: { queries: [scraped] },
    });
    await rig.up(again.program);
    expect(again.seen.runs.map(({ id }) => id)).toEqual(before);
  });
});

/** The one Prometheus that runs in this test's state folder. */
const prometheusPid = () => pidsIn(state, /^prometheus /)[0];

/** Ends it and starts it again with the same arguments in the same folder, as somebody might. */
async function restart(): Promise<number> {
  const pid = prometheusPid() as number;
  const [program, ...argv] = readFileSync(join("/proc", `${pid}`, "cmdline"), "utf8")
    .split("\0")
    .slice(0, -1);
  const cwd = readlinkSync(join("/proc", `${pid}`, "cwd"));
  process.kill(pid, "SIGTERM");
  await until(() => prometheusPid() === undefined);
  const again = spawn(program as string, argv, { cwd, stdio: "ignore", detached: true });
  again.unref();
  return again.pid as number;
}

test("a figure that cannot be had says why and leaves the run as it is: a down target, typos, a restart, a kill", async () => {
  const rig = await openRig("observatory-faults");
  const requests: QueriedFigure = {
    name: "requests",
    unit: "requests",
    kind: "counter",
    query: "requests_total{$gateway}",
  };
  const typo: QueriedFigure = {
    name: "typo",
    unit: "cores",
    kind: "counter",
    query: "node_cpu_secnds_total{$gatewayHost}",
  };
  const wrong: QueriedFigure = { name: "wrong", unit: "", kind: "gauge", query: "rate(node_load1)" };
  const unheard: QueriedFigure = { name: "unheard", unit: "users", kind: "gauge", query: "sum(users{$generator})" };
  let spawned: Promise<number> | undefined;
  const meanwhile = (run: Run) => {
    if (run.order === 1)
      spawned = until(() => pidsIn(state, /^wrk /)[0])
        .then(() => sleep(1500))
        .then(restart);
    if (run.order === 2) process.kill(prometheusPid() as number, "SIGKILL");
  };
  const { program, seen } = observedProgram({
    targets: { nginx: exposing(nginx(), [requests]) },
    ...{ generator: wrk(), load: load("5s"), runs: 3 },
    args: { queries: [typo, wrong, unheard] },
    ran: meanwhile,
  });
  await rig.up(program);
  const [well, restarted, killed] = seen.runs as [Run, Run, Run];
  await spawned;

  expect(figureIn(well, "requests")).toMatch(/^gateway-nginx did not answer (\d+) of \1 scrapes$/);
  expect(figureIn(well, "typo")).toBe("no samples: nothing that was scraped matches the query");
  expect(figureIn(well, "wrong")).toMatch(/^Prometheus refused the query: .*expected type range vector/);
  expect(figureIn(well, "unheard")).toBe("generator load exposes nothing to Prometheus");
  expect(figureIn(well, "local-host-cpu")).toBeGreaterThan(0);

  expect(figureIn(restarted, "local-host-cpu")).toMatch(
    /^Prometheus was started again at \d\d:\d\d:\d\d, after the run had begun$/,
  );
  expect(figureIn(restarted, "local-host-memory")).toMatch(/^Prometheus was started again/);

  expect(killed.figures?.filter((one) => "value" in one)).toEqual([]);
  expect(figureIn(killed, "local-host-cpu")).toMatch(
    /^Prometheus does not answer: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
  );

  for (const run of [well, restarted, killed]) {
    expect(resultOf(run)?.responses).toBeGreaterThan(1000);
    expect(run.counters?.gateway?.requests).toBeGreaterThan(1000);
  }
  expect(seen.cells.nginx?.verdict.rps).toBe("indicative");
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
  expect(processesOf(state)).toEqual([]);
});

test("k6 sends its own series to the same Prometheus where that is asked for: counts, and times as native histograms", async () => {
  const rig = await openRig("observatory-k6");
  const own = 'job="generator-load"';
  const sent: QueriedFigure = {
    ...{ name: "k6-p99", unit: "s", kind: "gauge" },
    query: `histogram_quantile(0.99, sum(k6_http_req_duration_seconds{${own}}))`,
  };
  const { program, seen } = observedProgram({
    targets: { nginx: nginx() },
    ...{ generator: k6(), load: load("5s"), runs: 1, args: { remoteWrite: true, queries: [sent] } },
  });
  await rig.up(program);
  const [run] = seen.runs as [Run];
  const { responses = 0 } = resultOf(run) ?? {};
  const [total] = (await asked(seen.url as string, `sum(k6_http_reqs_total{${own}})`)) as [{ value: [number, string] }];
  expect(responses).toBeGreaterThan(100);
  expect(Math.abs(Number(total.value[1]) - responses)).toBeLessThanOrEqual(connections);
  expect(figureIn(run, "k6-p99")).toBeGreaterThan(0);
  expect(run.command).toContain("--out=experimental-prometheus-rw");
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});

test("a run shorter than two scrapes has no figures, and says so", async () => {
  const rig = await openRig("observatory-short");
  const { program, seen } = observedProgram({
    targets: { nginx: nginx() },
    ...{ generator: curl({ waitS: 0.3 }), load: load("2s"), runs: 1 },
  });
  await rig.up(program);
  expect(figureIn(seen.runs[0], "local-host-cpu")).toMatch(/^the run lasted 0\.\d s, less than two scrapes 1 s apart$/);
  expect(resultOf(seen.runs[0] as Run)?.responses).toBe(connections);
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});

describe("as people switch it on", () => {
  const repository = join(__dirname, "..", "..");
  const folder = mkdtempSync(join(tmpdir(), "gatebench-observed-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("gatebench bench --observe: its result is of the published form and has figures", () => {
    const options = ["--gateway", "envoy", "--generator", "wrk", "--scenario", "plain"];
    const small = [
      "--observe",
      "--duration",
      "3s",
      "--repetitions",
      "1",
      "--connections",
      "8",
      "--json",
      "result.json",
    ];
    const bench = [join(repository, "packages/matrix/dist/bin.js"), "bench", ...options, ...small];
    const { status } = spawnSync(process.execPath, bench, { cwd: folder, encoding: "utf8" });
    expect(status).toBe(0);
    const result = resultSchema.parse(JSON.parse(readFileSync(join(folder, "result.json"), "utf8")));
    const [direct, gateway] = result.cells;
    expect([direct?.observatory, gateway?.observatory]).toEqual([{ scrapeIntervalS: 1 }, { scrapeIntervalS: 1 }]);
    const measured = gateway?.runs.find(({ purpose }) => purpose === "measure") as Run;
    expect(figureIn(measured, "gateway-requests")).toBeGreaterThan(1000);
    const raw = readdirSync(join(folder, "results"), { recursive: true, encoding: "utf8" });
    expect(raw.filter((path) => path.endsWith("/figures.json"))).toHaveLength(4);
    expect(leftBehind()).toEqual([]);
  });

  test("stacks/local with observe: it prints where Prometheus answers", async () => {
    const backend = mkdtempSync(join(folder, "backend-"));
    const own = { PULUMI_BACKEND_URL: `file://${backend}`, PULUMI_CONFIG_PASSPHRASE: "" };
    const env = { ...process.env, ...own, PULUMI_SKIP_UPDATE_CHECK: "true" };
    const config = join(folder, "Pulumi.observed.yaml");
    const settings = { gateway: "envoy", duration: "2s", repetitions: 1, connections: 8, observe: true, results: '""' };
    writeFileSync(
      config,
      `config:\n${Object.entries(settings)
        .map(([key, value]) => `  gatebench-local:${key}: ${value}\n`)
        .join("")}`,
    );
    const pulumi = (...args: string[]) =>
      spawnSync("pulumi", [...args, "--stack", "observed", "--non-interactive"], {
        ...{ cwd: join(repository, "stacks", "local"), env, encoding: "utf8" },
      });
    pulumi("stack", "init");
    rmSync(join(repository, "stacks", "local", "Pulumi.observed.yaml"), { force: true });
    const up = pulumi("up", "--yes", "--skip-preview", "--config-file", config);
    expect([up.status, up.stderr]).toEqual([0, expect.anything()]);
    const { observatory } = JSON.parse(pulumi("stack", "output", "--json").stdout) as { observatory: { url: string } };
    expect(await asked(observatory.url, 'up{job="gateway-envoy"}')).toHaveLength(1);
    expect(pulumi("destroy", "--yes", "--skip-preview", "--config-file", config).status).toBe(0);
    expect(leftBehind()).toEqual([]);
    expect(processesOf(state)).toEqual([]);
  });
});
