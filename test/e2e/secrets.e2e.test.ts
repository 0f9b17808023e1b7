import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileOf, reference, type Benchmark, type GeneratorAdapter, type Scenario } from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { envoy, nginx } from "@gatebench/gateways";
import { hey, wrk } from "@gatebench/generators";
import { edited } from "./altered";
import { foundBelow, foundIn, isSecret, needlesOf, plantedValues, recordsOf, withoutSecrets } from "./planted";
import { openProgram } from "./program";
import { declare, leftBehind, observe, openRig, type Bench, type Rig, type Seen } from "./rig";

jest.setTimeout(180_000);

const credentials = plantedValues();
const needles = needlesOf(credentials);

const keyed: Scenario = { name: "keyed", auth: "key" };
const basic: Scenario = { name: "basic", auth: "basic" };
const secure: Scenario = { name: "secure", scheme: "https", auth: "key" };
const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });

let rig: Omit<Rig, "up">;
let seen: Seen;

beforeEach(() => (seen = { runs: [], verifications: {}, cells: {}, summary: "" }));

/** Whatever happened: nothing of it is said, stored or left. */
afterEach(async () => {
  const found = await foundAnywhere();
  await rig.destroy();
  expect(found).toEqual({});
  expect(foundIn(everythingSaid(), needles)).toEqual([]);
  expect(leftBehind()).toEqual([]);
  expect(foundBelow(process.env.XDG_STATE_HOME as string, needles)).toEqual({});
});

/** Benchmarks with the planted credentials, one after another on one site. */
async function up(benches: Readonly<Record<string, Bench>>): Promise<void> {
  const opened = (rig = await openRig("secrets"));
  await opened.up(async () => {
    const site = new LocalTopology("site", { credentials });
    const made = Object.entries(benches).map(([name, bench]) => declare({ name, protocol, ...bench }, site));
    for (const benchmark of made) observe(benchmark, seen);
    const [{ rps, p99Ms, tlsTps, verdict, summary, cells }] = made as [Benchmark];
    return { rps, p99Ms, tlsTps, verdict, summary, cells };
  });
}

/**
 * Output and events. The engine's own SDK repeats every resource in a debug event, secrets included; it is shown with
 * --debug alone, and no part of gatebench listens to it.
 */
function everythingSaid(): string {
  const events = rig.events.filter(({ diagnosticEvent }) => (diagnosticEvent?.severity as string) !== "debug");
  return JSON.stringify([rig.output.join(""), events]);
}

const places = join(process.env.XDG_STATE_HOME as string, "gatebench", "places");

/** Where a workload needs its values while it runs, and where jobs find theirs. */
const mayHoldValues = /\/(workloads\/[^/]+\/[^/]+|sessions\/[^/]+\/vaults\/[^/]+\.json)$/;

async function foundAnywhere(): Promise<Readonly<Record<string, unknown>>> {
  const state = withoutSecrets(await rig.stack.exportStack());
  const onDisk = Object.entries(foundBelow(places, needles)).filter(([path]) => !mayHoldValues.test(path));
  const found = {
    said: foundIn(everythingSaid(), needles),
    state: foundIn(JSON.stringify(state), needles),
    records: foundIn(recordsOf(state).join("\n"), needles),
    "what the backend holds": Object.entries(foundBelow(rig.backend, needles)),
    "what was observed": foundIn(JSON.stringify(seen), needles),
    "the state folder": onDisk,
  };
  return Object.fromEntries(Object.entries(found).filter(([, where]) => where.length > 0));
}

test("planted credentials are used and stand nowhere in clear but where they are used", async () => {
  const load = { model: "closed", connections: 4, duration: "1s" } as const;
  const targets = {
    nginx: { adapter: nginx(), scenario: basic },
    envoy: { adapter: envoy(), scenario: keyed },
    "nginx-secure": { adapter: nginx(), scenario: secure },
  };
  const second = { envoy: { adapter: envoy(), scenario: keyed } };
  const benches = { first: { targets, load, generator: wrk() }, second: { targets: second, load, generator: hey() } };
  await up(benches);
  expect(seen.runs.map(({ outcome }) => Object.keys(outcome))).toEqual(Array(4).fill(["result"]));

  const inClear = foundBelow(places, needles);
  const holders = Object.keys(inClear).map((path) => path.split("/").slice(1).join("/"));
  expect(holders).toEqual(
    expect.arrayContaining([
      "workloads/first-nginx-secure-nginx/key.pem",
      "workloads/first-nginx-secure-nginx/nginx.conf",
      "workloads/first-envoy-envoy/envoy.yaml",
      "sessions/first/vaults/nginx.json",
    ]),
  );
  for (const path of Object.keys(inClear)) {
    expect(mayHoldValues.test(`/${path}`)).toBe(true);
    expect(isForUsAlone(join(places, path))).toBe(true);
  }

  expect(recordsOf(await rig.stack.exportStack())).toHaveLength(8);
  const { resources = [] } = (await rig.stack.exportStack()).deployment as { resources?: StoredResource[] };
  const starts = resources.filter(({ inputs }) => / start-workload$/.test(inputs?.create ?? ""));
  expect(starts).toHaveLength(6);
  for (const { inputs, outputs } of starts)
    expect([isSecret(inputs?.stdin), isSecret(outputs?.stdin)]).toEqual([true, true]);
  const runs = resources.filter(({ inputs }) => / run-job$/.test(inputs?.create ?? ""));
  expect(runs).toHaveLength(8);
  for (const { inputs, outputs } of runs)
    expect([inputs?.stdin, outputs?.stdout].map((text) => typeof text)).toEqual(["string", "string"]);

  const outputs = await rig.stack.outputs();
  expect(Object.entries(outputs).filter(([, { secret }]) => secret)).toEqual([]);
  expect(outputs.rps?.value).toBeGreaterThan(100);
});

interface StoredResource {
  readonly inputs?: { readonly create?: string; readonly stdin?: unknown };
  readonly outputs?: { readonly stdin?: unknown; readonly stdout?: unknown };
}

/** No other user enters one of the folders above it. */
function isForUsAlone(path: string): boolean {
  const folders = path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/") || "/");
  return folders.some((folder) => (statSync(folder).mode & 0o077) === 0);
}

const failing = [
  {
    what: "gateways that do not start",
    gateways:
      "unknown-directive,prints-configuration,prints-arguments,prints-certificate-key,prints-base64,prints-one-line,prints-url,prints-much",
    says: [
      'unknown directive "<gatebench:consumer-1.key>"',
      "<gatebench:certificate.key> | <gatebench:certificate.key>",
    ],
  },
  {
    what: "a set-up request that is refused",
    gateways: "refuses-set-up",
    says: [
      "job-failed: POST /refuses?key=<gatebench:consumer-1.key> answered 418 instead of 201: <gatebench:consumer-1.key>",
    ],
  },
];

test.each(failing)("commands that fail do not say what they were given: $what", async ({ gateways, says }) => {
  const opened = await openProgram("failing-gateways", {
    GATEWAYS: gateways,
    CREDENTIALS: JSON.stringify(credentials),
  });
  rig = opened;
  const error = (await opened.up().catch((reason: Error) => reason)) as Error;
  expect(error).toBeInstanceOf(Error);
  expect(foundIn(`${error.message} ${error.stack}`, needles)).toEqual([]);
  const said = rig.output.join("");
  for (const name of gateways.split(","))
    expect(said).toMatch(new RegExp(`\\(${name}-(nginx|setup)\\):\n\\s+error: exit status 1`));
  for (const sentence of says) expect(said).toContain(sentence);
});

/** Prints what it was given, in files and arguments, and fails. */
const printingAndFailing: GeneratorAdapter = {
  ...wrk(),
  plan: (load, target) => {
    const plan = wrk().plan(load, target);
    if (plan.kind !== "containers") throw new Error("not a command");
    const script = 'echo "$@"; echo "$@" >&2; cat "$0"; printf %s "$@" | base64; cat "$0" >collected; exit 1';
    const command = ["sh", "-c", script, fileOf("wrk.lua"), ...plan.job.command];
    return { ...plan, job: { ...plan.job, command, collect: ["collected"] } };
  },
};

/** Its page that counts is also its configuration. */
const telling = edited(nginx(), ["stub_status;", `return 200 "Active connections: 1 ${reference("consumer-1.key")}";`]);

test("a generator that prints what it was given and fails leaves no secret in run, output or raw output", async () => {
  const targets = { nginx: { adapter: nginx(), scenario: keyed }, telling: { adapter: telling, scenario: keyed } };
  await up({ failing: { targets, generator: printingAndFailing } });
  expect(seen.runs).toHaveLength(2);
  for (const { outcome, artifacts } of seen.runs) {
    expect(outcome).toMatchObject({ failure: { code: "unparsed-output", excerpt: expect.stringContaining(mask) } });
    expect(artifacts.map(({ path }) => path)).toEqual(["stdout", "stderr", "counters.json", "wrk.lua", "collected"]);
  }
  const kept = readdirSync(places, { recursive: true, encoding: "utf8" }).filter((path) => path.includes("/jobs/"));
  const masked = kept.filter((path) => /(stdout|stderr|wrk\.lua|collected|counters\.json)$/.test(path));
  expect(masked.some((path) => readFileSync(join(places, path), "utf8").includes(mask))).toBe(true);
});

const mask = "<gatebench:consumer-1.key>";

test("a load whose watcher is killed leaves its files without what they held", async () => {
  const kills = killedWatcher();
  await up({ lost: { targets: { nginx: { adapter: nginx(), scenario: keyed } }, generator: speaking } });
  await kills;
  expect(seen.runs.map(({ outcome }) => outcome)).toEqual([{ failure: expect.objectContaining({ code: "job-lost" }) }]);
});

/** Prints what it was given, then sends its load. */
const speaking: GeneratorAdapter = {
  ...wrk(),
  plan: (load, target) => {
    const plan = wrk().plan(load, target);
    if (plan.kind !== "containers") throw new Error("not a command");
    const command = ["sh", "-c", 'echo "$@"; exec "$@"', "sh", ...plan.job.command];
    return { ...plan, job: { ...plan.job, command, files: { ...plan.job.files, given: command.join(" ") } } };
  },
};

/** Kills the one who watches the load, once the load has printed what it was given. */
async function killedWatcher(): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
    const printed = Object.keys(quietly(() => foundBelow(places, needles))).find((path) =>
      /jobs\/[^/]+\/stdout$/.test(path),
    );
    if (!printed) continue;
    const { pid } = JSON.parse(
      readFileSync(join(places, printed.replace(/stdout$/, "supervisor/process.json")), "utf8"),
    );
    return void process.kill(pid, "SIGKILL");
  }
}

function quietly(look: () => Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return look();
  } catch {
    return {}; // It goes away while it is looked at.
  }
}

test("a probe that prints what it was given and fails leaves no secret in what was verified", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-curl-"));
  const curl = `#!/bin/sh\nsed -n 's/^header = "@\\(.*\\)"$/\\1/p' "$3" | xargs cat\nexit 3\n`;
  writeFileSync(join(folder, "curl"), curl, { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  try {
    await up({ probing: { targets: { nginx: { adapter: nginx(), scenario: keyed } } } });
  } finally {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  }
  expect(seen.runs).toEqual([]);
  expect(seen.verifications.nginx?.laws).toEqual([
    { law: "can be verified", finding: { verdict: "broken", reason: expect.stringContaining(`apikey: ${mask}`) } },
  ]);
});
