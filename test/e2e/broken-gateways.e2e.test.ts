import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { broken, resultSchemaName, type GatewayAdapter, type Result, type Scenario } from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { direct, envoy, nginx } from "@gatebench/gateways";
import { markdownReport, terminalTables } from "@gatebench/matrix";
import { edited, misread } from "./altered";
import { benchProgram, declare, leftBehind, observe, openRig, plain, type Bench, type Rig, type Seen } from "./rig";

jest.setTimeout(240_000);

const keyed: Scenario = { name: "keyed", auth: "key" };
const secure: Scenario = { name: "secure", scheme: "https" };
const limited: Scenario = {
  name: "limited",
  rateLimit: { requests: 20, per: "500ms", scope: "gateway", store: "local" },
};
const balanced: Scenario = { name: "balanced", balancing: "round-robin" };

const body = staticPayload().answer({}).body?.text as string;

const caching = edited(
  nginx(),
  ["upstream upstreams", "proxy_cache_path cache keys_zone=answers:1m;\nupstream upstreams"],
  ["proxy_pass", "proxy_cache answers;\nproxy_cache_valid 200 1m;\nproxy_pass"],
);
const changingAnswers = edited(nginx(), ["proxy_pass", "sub_filter_types *;\nsub_filter ABC abc;\nproxy_pass"]);
const changingRequests = edited(nginx(), ["proxy_pass", 'proxy_set_body "another";\nproxy_pass']);
/** Answers by itself, with the very bytes of the upstream, once more requests come than any probe sends. */
const answering = edited(
  nginx(),
  ["upstream upstreams", "limit_req_zone gateway zone=own:1m rate=100r/s;\nupstream upstreams"],
  ["keepalive_timeout 1h;", `keepalive_timeout 1h;\nlocation @own {\nreturn 200 "${body}";\n}`],
  ["proxy_pass", "limit_req zone=own burst=200 nodelay;\nerror_page 503 =200 @own;\nproxy_pass"],
);

const skippingAuth = (adapter: GatewayAdapter) => misread(adapter, (asked) => ({ ...asked, auth: undefined }));
const speaking13 = (adapter: GatewayAdapter) =>
  misread(adapter, (asked) => ({ ...asked, tls: { ...asked.tls, version: "1.3" } }));
const closing = (adapter: GatewayAdapter) =>
  misread(adapter, (asked) => ({ ...asked, upstream: { ...asked.upstream, keepAlive: false } }));
const notLimiting = (adapter: GatewayAdapter) => misread(adapter, (asked) => ({ ...asked, rateLimit: undefined }));
const sticky = (adapter: GatewayAdapter) =>
  misread(
    adapter,
    (asked) => asked,
    (site) => ({ ...site, upstreams: site.upstreams.slice(0, 1) }),
  );

/** Each with the law it breaks. */
const refused: Readonly<Record<string, readonly [adapter: GatewayAdapter, scenario: Scenario, law: string]>> = {
  "nginx-caching": [caching, plain, "asks the upstream every time"],
  "nginx-changing-answers": [changingAnswers, plain, "leaves the upstream's answer unchanged"],
  "nginx-changing-requests": [changingRequests, plain, "leaves a request's body unchanged"],
  "nginx-closing": [closing(nginx()), plain, "keeps its connections to the upstream as asked"],
  "envoy-closing": [closing(envoy()), plain, "keeps its connections to the upstream as asked"],
  "nginx-skipping-auth": [skippingAuth(nginx()), keyed, "refuses a wrong credential"],
  "envoy-skipping-auth": [skippingAuth(envoy()), keyed, "refuses a wrong credential"],
  "nginx-speaking-13": [speaking13(nginx()), secure, "speaks the asked TLS version"],
  "envoy-speaking-13": [speaking13(envoy()), secure, "speaks the asked TLS version"],
  "nginx-with-tickets": [
    edited(nginx(), ["ssl_session_tickets off", "ssl_session_tickets on"]),
    secure,
    "refuses to resume a TLS session by ticket",
  ],
  "nginx-with-session-ids": [
    edited(nginx(), ["ssl_session_cache off", "ssl_session_cache shared:sessions:1m"]),
    secure,
    "refuses to resume a TLS session by its ID",
  ],
  "envoy-with-tickets": [
    edited(envoy(), ["disable_stateless_session_resumption: true", "disable_stateless_session_resumption: false"]),
    secure,
    "refuses to resume a TLS session by ticket",
  ],
  "envoy-with-session-ids": [
    edited(envoy(), ["disable_stateful_session_resumption: true", "disable_stateful_session_resumption: false"]),
    secure,
    "refuses to resume a TLS session by its ID",
  ],
  "nginx-not-limiting": [notLimiting(nginx()), limited, "enforces the rate limit"],
  "envoy-not-limiting": [notLimiting(envoy()), limited, "enforces the rate limit"],
};
const refusedOfTwo: typeof refused = {
  "nginx-sticky": [sticky(nginx()), balanced, "reaches every upstream"],
  "envoy-sticky": [sticky(envoy()), balanced, "reaches every upstream"],
};

const targetsOf = (gateways: typeof refused) =>
  Object.fromEntries(Object.entries(gateways).map(([name, [adapter, scenario]]) => [name, { adapter, scenario }]));

const benches = {
  one: {
    targets: {
      direct: { adapter: direct(), scenario: plain },
      nginx: { adapter: nginx(), scenario: plain },
      "nginx-secure": { adapter: nginx(), scenario: secure },
      "envoy-keyed": { adapter: envoy(), scenario: keyed },
      "nginx-limited": { adapter: nginx(), scenario: limited },
      "nginx-answering": { adapter: answering, scenario: plain },
      ...targetsOf(refused),
    },
  },
  two: {
    targets: { envoy: { adapter: envoy(), scenario: balanced }, ...targetsOf(refusedOfTwo) },
    upstream: { count: 2 },
  },
} satisfies Readonly<Record<string, Bench>>;
type BenchName = keyof typeof benches;

describe("gateways that do not do what is asked", () => {
  let rig: Rig;
  const seen = {} as Record<BenchName, Seen>;

  beforeAll(async () => {
    rig = await openRig("broken");
    await rig.up(async () => {
      const site = new LocalTopology("site");
      for (const [name, bench] of Object.entries(benches) as [BenchName, Bench][]) {
        const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
        const benchmark = declare({ ...bench, name, protocol }, site);
        observe(benchmark, (seen[name] = { runs: [], verifications: {}, cells: {}, summary: "" }));
      }
    });
  });

  afterAll(async () => {
    await rig.destroy();
    expect(leftBehind()).toEqual([]);
  });

  const each = Object.entries(benches).flatMap(([bench]) =>
    Object.entries(bench === "one" ? refused : refusedOfTwo).map(([target, [, , law]]) => ({
      bench: bench as BenchName,
      target,
      law,
    })),
  );

  test.each(each)("$target is refused because it breaks: $law", ({ bench, target, law }) => {
    const { verifications, runs, cells } = seen[bench];
    const found = verifications[target];
    expect(found && broken(found).map(({ law }) => law)).toContain(law);
    expect(runs.filter((run) => run.target === target)).toEqual([]);
    expect(cells[target]).toMatchObject({ rps: null, p99Ms: null, tlsTps: null, runs: [] });
    expect(cells[target]?.verdict).toMatchObject({ rps: "invalid", p99Ms: "invalid" });
  });

  test("nothing but what they do wrong is held against them", () => {
    const laws = Object.fromEntries(
      each.map(({ bench, target }) => [
        target,
        broken(seen[bench].verifications[target] as never).map(({ law }) => law),
      ]),
    );
    const others = each.flatMap(({ target, law }) =>
      (laws[target] as string[]).filter((one) => one !== law).map((one) => `${target}: ${one}`),
    );
    expect(others).toEqual([
      "nginx-skipping-auth: refuses a missing credential",
      "envoy-skipping-auth: refuses a missing credential",
      "nginx-speaking-13: refuses other TLS versions",
      "envoy-speaking-13: refuses other TLS versions",
      "nginx-sticky: splits requests evenly",
      "envoy-sticky: splits requests evenly",
    ]);
  });

  test("those beside them are measured", () => {
    const good = ["direct", "nginx", "nginx-secure", "envoy-keyed", "nginx-limited"];
    const measured = seen.one.runs.map(({ target }) => target);
    expect(measured.sort()).toEqual([...good, "nginx-answering"].sort());
    expect(seen.two.runs.map(({ target }) => target)).toEqual(["envoy"]);
    expect(good.map((target) => seen.one.cells[target]?.verdict.rps)).toEqual(good.map(() => "indicative"));
    expect(seen.two.cells.envoy?.verdict.rps).toBe("indicative");
  });

  test("what answers by itself under load only is told by the counters", () => {
    const cell = seen.one.cells["nginx-answering"];
    expect(seen.one.verifications["nginx-answering"]?.laws.map(({ finding }) => finding.verdict)).not.toContain(
      "broken",
    );
    expect(cell?.rps).toBeGreaterThan(100);
    expect(cell?.verdict).toMatchObject({ rps: "invalid", p99Ms: "invalid" });
    const warnings = cell?.verdict.warnings.filter(({ cap }) => cap === "invalid");
    expect(warnings).toEqual([
      expect.objectContaining({
        code: "counts-disagree",
        evidence: expect.objectContaining({ between: "gateway and upstream", allowed: 8 }),
      }),
    ]);
  });

  test("tables show no figure of theirs that is not struck out", () => {
    const result = resultOfCells(Object.values(seen).flatMap(({ cells }) => Object.values(cells)));
    const answered = Math.round(seen.one.cells["nginx-answering"]?.rps ?? 0).toLocaleString("en-US");
    for (const text of [terminalTables(result), markdownReport(result)]) {
      const rows = text.split("\n").filter((line) => /\binvalid\s*\|?$/.test(line.replace(colours, "")));
      expect(rows).toHaveLength(each.length + 1);
      const shown = rows.map((row) => row.replace(struckOut, "").replace(colours, ""));
      expect(shown.filter((row) => /\d/.test(row))).toEqual([]);
      expect(rows.join("\n").match(struckOut)?.join()).toContain(answered);
    }
    expect(
      Object.values(seen)
        .map(({ summary }) => summary)
        .join("\n"),
    ).not.toMatch(/rps \[sound\]/);
  });
});

const escape = String.fromCharCode(27);
const colours = new RegExp(`${escape}\\[\\d+m`, "g");
/** In a terminal with colours, in Markdown, in a terminal without. */
const struckOut = new RegExp(`${escape}\\[9m.*?${escape}\\[29m|~~[^~]+~~|\\([^()]+\\)`, "g");

function resultOfCells(cells: Result["cells"]): Result {
  const at = new Date().toISOString();
  return {
    ...{ schema: resultSchemaName, startedAt: at, endedAt: at, gatebench: "0", engine: "engine", seed: 1 },
    ...{ machine: { os: "os", cpu: "cpu", cpus: 1, memoryBytes: 1 }, cells, skipped: [] },
  };
}

describe("a gateway that dies", () => {
  const load = { model: "closed", connections: 8, duration: "2s" } as const;
  const protocol = repeat({ runs: 2, warmUp: false, coolDown: "500ms" });
  let rig: Rig;

  afterEach(async () => {
    await rig.destroy();
    expect(leftBehind()).toEqual([]);
  });

  async function dying(when: (seen: Seen) => boolean): Promise<Seen> {
    rig = await openRig("dying");
    const targets = { nginx: { adapter: nginx(), scenario: plain } };
    const { program, seen } = benchProgram({ targets, load, protocol });
    await Promise.all([rig.up(program), killedOnce(() => when(seen))]);
    return seen;
  }

  const goneMessage = /^bench-nginx-nginx does not answer: .+ --replace for its workload\.$/;
  const gone = { failure: { code: "workload-gone", message: expect.stringMatching(goneMessage) } };

  test("under a load is gone as data, for that run and the next", async () => {
    const { runs, cells } = await dying(() => jobs().some(({ tool, runsForMs }) => tool === "wrk" && runsForMs > 500));
    expect(runs.map(({ outcome }) => outcome)).toEqual([gone, gone]);
    expect(cells.nginx).toMatchObject({ rps: null, verdict: { rps: "invalid" } });
  });

  test("between two runs is gone as data, and the run before it stands", async () => {
    const { runs, cells } = await dying(({ runs }) => runs.length === 1);
    expect(runs.map(({ outcome }) => outcome)).toEqual([{ result: expect.anything() }, gone]);
    expect(cells.nginx).toMatchObject({ rps: expect.any(Number), verdict: { rps: "indicative" } });
    expect(cells.nginx?.verdict.warnings.map(({ code }) => code)).toContain("run-failed");
  });

  const places = join(process.env.XDG_STATE_HOME as string, "gatebench", "places");
  const filesNamed = (name: string): readonly string[] =>
    readdirSync(places, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(`/${name}`));
  const read = (path: string) => JSON.parse(readFileSync(join(places, path), "utf8"));

  function jobs(): readonly { readonly tool: string; readonly runsForMs: number }[] {
    return filesNamed("progress.json").map((path) => {
      const { phase, sinceMs } = read(path) as { phase: string; sinceMs: number };
      const [tool] = read(path.replace("progress.json", "order.json")).job.command;
      return { tool, runsForMs: phase === "runs" ? Date.now() - sinceMs : 0 };
    });
  }

  /** Kills the gateway with all its workers, once; gives up where the moment does not come. */
  async function killedOnce(isTime: () => boolean): Promise<void> {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(5)) {
      if (!quietly(isTime)) continue;
      const [record] = filesNamed("process.json").filter((path) => path.includes("/bench-nginx-nginx/"));
      return void process.kill(-read(record as string).pid, "SIGKILL");
    }
  }

  function quietly(isTime: () => boolean): boolean {
    try {
      return isTime();
    } catch {
      return false; // Its files are not there yet.
    }
  }
});
