/**
 * What people see when they ask for something that cannot be: one line for each fault, through the command and through
 * `pulumi up`, and nothing of it begun.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { scenarios } from "@gatebench/core";
import { gateways } from "@gatebench/gateways";
import { generators } from "@gatebench/generators";
import { leftBehind } from "./rig";

jest.setTimeout(120_000);

const repository = join(__dirname, "..", "..");
const cli = join(repository, "packages", "matrix", "dist", "bin.js");
const temporary = mkdtempSync(join(tmpdir(), "gatebench-bad-input-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const namesIn = (known: object) => Object.keys(known).sort().join(", ");
const openOnes = Object.values(generators)
  .map((make) => make())
  .filter(({ models }) => models.includes("open"))
  .map(({ name }) => name)
  .join(", ");

const folder = (name: string) => {
  const path = join(temporary, name);
  mkdirSync(path);
  return path;
};
const file = join(temporary, "a-file");
writeFileSync(file, "in the way");

/** A gateway from elsewhere that enforces nothing. */
const bare = join(temporary, "bare.cjs");
writeFileSync(
  bare,
  `exports.bare = {
    name: "bare", version: "1", ports: ["entry"],
    supports: { schemes: ["http"], tlsVersions: [], auth: [], credentials: [], rateLimit: [], analytics: false, balancing: [], routes: 1, consumers: 0 },
    render: () => { throw new Error("never reached"); },
  };`,
);

/** Programs on a PATH of their own, so that the rest is missing. */
function pathWith(...programs: readonly string[]): string {
  const bin = folder(`bin-${programs.join("-")}`);
  for (const program of programs) {
    const found = (process.env.PATH ?? "").split(delimiter).find((one) => existsSync(join(one, program)));
    if (found) symlinkSync(join(found, program), join(bin, program));
  }
  return bin;
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly lines: readonly string[];
  /** What it left in its folder. */
  readonly left: readonly string[];
}

let folders = 0;

function gatebench(args: readonly string[], env: Readonly<Record<string, string>> = {}): Ended {
  const cwd = folder(`cwd-${++folders}`);
  const given = { ...process.env, ...env };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd, encoding: "utf8", env: given });
  return { status, stdout, lines: stderr.split("\n").slice(0, -1), left: readdirSync(cwd) };
}

const known = Object.keys(scenarios).join(", ");
const policy = (what: string, enforced: string) =>
  `unsupported-policy: bare cannot enforce ${what} in scenario "key-auth". It enforces: ${enforced}. Drop the policy, or leave bare out of this row of the matrix.`;
const results = (path: string, reason: string) =>
  `results-folder: "${path}" cannot be used for results (${reason}). Give a folder that can be read and written with --results.`;
const openModel = (tool: string) =>
  `unsupported-load: ${tool} cannot send a load of model "open". It can: closed. Choose one of these, or another generator. These can: ${openOnes}.`;

describe("gatebench bench", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      "an unknown gateway, generator and scenario, all at once",
      ["--gateway", "nope", "--generator", "nope", "--scenario", "nope"],
      [
        `unknown-gateway: "nope" is not one of ${namesIn(gateways)}, nor a package or path that can be loaded (Cannot find module 'nope').`,
        `unknown-generator: "nope" is not one of ${namesIn(generators)}, nor a package or path that can be loaded (Cannot find module 'nope').`,
        `unknown-scenario: "nope" is not a scenario. Known: ${known}.`,
      ],
    ],
    [
      "an unknown preset",
      ["--preset", "nope"],
      [`unknown-preset: "nope" is not a preset. Known: key-auth-rate-limit, plain, saturate, tls-transactions.`],
    ],
    [
      "a preset that only a stack can follow",
      ["--preset", "saturate"],
      [
        `unknown-preset: "saturate" sets protocol, which gatebench bench has not. Run it as a stack: "cd stacks/local && pulumi up --stack saturate".`,
      ],
    ],
    [
      "policies the gateway does not support",
      ["--gateway", bare, "--scenario", "key-auth", "--generator", "wrk"],
      [policy("key", "nothing"), policy("1 consumers", "up to 0")],
    ],
    [
      "a duration without a unit",
      ["--duration", "10"],
      ['invalid-option: --duration: "10" is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h".'],
    ],
    [
      "no time at all",
      ["--duration", "0s"],
      ['invalid-load: a load cannot last "0s"; give more than "0s" and at most "24h".'],
    ],
    [
      "a part of a second, for a tool that counts seconds",
      ["--duration", "1.5s", "--generator", "wrk"],
      ["invalid-load: wrk counts time in whole seconds; its duration cannot be 1.5s."],
    ],
    [
      "numbers that cannot be",
      ["--connections", "0", "--repetitions", "0", "--workers", "1e9", "--seed", "", "--pace", "fast"],
      [
        'invalid-option: --connections: "0" is not a whole number from 1 to 20000.',
        'invalid-option: --pace: "fast" is not a number above 0 and up to 1000000.',
        'invalid-option: --repetitions: "0" is not a whole number from 1 to 100.',
        'invalid-option: --workers: "1e9" is not a whole number from 1 to 1024.',
        'invalid-option: --seed: "" is not a whole number from 0 to 1000000000.',
      ],
    ],
    [
      "more connections than there are ports",
      ["--connections", "1e9"],
      ['invalid-option: --connections: "1e9" is not a whole number from 1 to 20000.'],
    ],
    [
      "more threads than connections",
      ["--threads", "8", "--connections", "4"],
      ["invalid-load: 8 threads cannot share 4 connections: each thread needs at least one. Give at most 4 threads."],
    ],
    [
      "an arrival rate together with a pace",
      ["--rate", "100", "--pace", "3"],
      [
        "invalid-load: an arrival rate (--rate) and a pace per connection (--pace) are two models of load; give one of them.",
      ],
    ],
    ["an arrival rate, which neither tool can hold", ["--rate", "100"], [openModel("wrk"), openModel("hey")]],
    [
      "empty names and paths",
      ["--gateway", "", "--scenario", "plain,", "--results", ""],
      [
        "invalid-option: --gateway: a name is empty; give names separated by commas.",
        "invalid-option: --scenario: a name is empty; give names separated by commas.",
        "invalid-option: --results: the path is empty.",
      ],
    ],
    ["an unknown option", ["--bogus"], ["invalid-option: unknown option '--bogus'. See --help."]],
    [
      "an option without its value",
      ["--duration"],
      ["invalid-option: option '--duration <time>' argument missing. See --help."],
    ],
    ["a results folder that cannot be made", ["--results", "/proc/x"], [results("/proc/x", "ENOENT")]],
    ["a file where the results folder would be", ["--results", file], [results(file, "ENOTDIR")]],
    [
      "a --json file that is a folder",
      ["--json", temporary],
      [`results-folder: "${temporary}" cannot be written (it is a folder). Give another file with --json.`],
    ],
  ])("%s", (_, args, lines) => {
    const ended = gatebench(["bench", ...args]);
    expect(ended).toEqual({ status: 2, stdout: "", lines, left: [] });
    expect(leftBehind()).toEqual([]);
  });

  test("a program that is not installed", () => {
    const PATH = pathWith("node", "pulumi", "nginx", "curl", "openssl", "flock", "sh");
    const ended = gatebench(["bench", "--gateway", "nginx", "--generator", "wrk", "--scenario", "plain"], { PATH });
    expect(ended).toEqual({
      status: 2,
      stdout: "",
      lines: ['missing-binary: wrk is not on PATH. Install it, or run "npm run bench", which installs what it uses.'],
      left: [],
    });
  });

  test("no engine", () => {
    const PATH = pathWith("node", "nginx", "wrk", "curl", "openssl", "flock", "sh");
    const ended = gatebench(["bench", "--gateway", "nginx", "--generator", "wrk", "--scenario", "plain"], { PATH });
    expect(ended.lines).toEqual([
      'missing-engine: the Pulumi engine is not on PATH. Run "npm run bench", which brings it, or install Pulumi 3.220 or later.',
    ]);
    expect([ended.status, ended.left]).toEqual([2, []]);
  });

  test("a port in use, by whom", async () => {
    const server = await listening(13_017);
    try {
      const ended = gatebench(["bench", "--port-base", "13000", "--gateway", "direct", "--generator", "wrk"]);
      expect(ended).toEqual({ status: 2, stdout: "", lines: [portLine(13_017, 13_000)], left: [] });
    } finally {
      server.close();
    }
  });

  test("two at once in one checkout: the first goes on, the second is told whose it is", async () => {
    const cwd = folder("shared");
    const args = [cli, "bench", "--gateway", "direct", "--generator", "wrk", "--scenario", "plain", "--quick"];
    const first = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
    const ended = new Promise<number | null>((resolve) => first.once("exit", resolve));
    while (!existsSync(join(cwd, ".gatebench", "running.json")) && first.exitCode === null) await sleep(20);
    const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
    expect([status, stderr]).toEqual([
      2,
      `already-running: another gatebench command (pid ${first.pid}) runs in this checkout; two would measure each other. Wait for it, or end it with "kill -INT ${first.pid}".\n`,
    ]);
    expect(await ended).toBe(0);
    expect(readdirSync(join(cwd, "results"))).toHaveLength(1);
    expect(leftBehind()).toEqual([]);
  });
});

const listening = (port: number) =>
  new Promise<Server>((resolve) => {
    const server = createServer().listen(port, "127.0.0.1", () => resolve(server));
  });

const ourName = readFileSync("/proc/self/comm", "utf8").trim();
const portLine = (port: number, base: number) =>
  `port-in-use: port ${port} is used by ${ourName} (pid ${process.pid}), and the workloads here are to listen on ${base} to ${base + 399}. Stop it, or give another port base.`;

describe("pulumi up in stacks/local", () => {
  const backend = folder("backend");
  const env = {
    ...process.env,
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const cwd = join(repository, "stacks", "local");
  const config = join(temporary, "Pulumi.bad.yaml");
  const pulumi = (args: readonly string[], over: object = {}) =>
    spawnSync("pulumi", [...args, "--non-interactive", "--color", "never"], {
      cwd,
      encoding: "utf8",
      env: { ...env, ...over },
    });

  beforeAll(() => {
    pulumi(["stack", "init", "bad"]);
    rmSync(join(cwd, "Pulumi.bad.yaml"), { force: true });
  });

  /** The faults it printed, having checked that it printed nothing else of its own and created nothing. */
  function refused(
    settings: Readonly<Record<string, string | number | boolean>>,
    over?: object,
    command = ["up", "--yes"],
  ) {
    const lines = Object.entries(settings).map(([key, value]) => `  gatebench-local:${key}: ${JSON.stringify(value)}`);
    writeFileSync(config, `config:\n${lines.join("\n")}\n`);
    const args = [...command, ...(command[0] === "up" ? ["--skip-preview"] : []), "--stack", "bad"];
    const { status, stdout, stderr } = pulumi([...args, "--config-file", config], over);
    expect(status).not.toBe(0);
    expect(stdout + stderr).not.toMatch(/^\s+at .+:\d+:\d+/m);
    expect(resources()).toEqual([]);
    const said = (stdout + stderr).split("\n").map((line) => line.trim().replace(/^error: /, ""));
    return [...new Set(said.filter((line) => /^[a-z]+(-[a-z]+)+: /.test(line)))];
  }

  function resources(): readonly string[] {
    const { stdout } = pulumi(["stack", "export", "--stack", "bad"]);
    const { deployment } = JSON.parse(stdout) as { deployment: { resources?: { type: string }[] } };
    return (deployment.resources ?? []).map(({ type }) => type).filter((type) => type !== "pulumi:pulumi:Stack");
  }

  test("keys nobody knows and values that cannot be, all at once", () => {
    const lines = refused({ gatway: "nginx", duration: "10", connections: 0, threads: 1.5, protocol: "flood" });
    expect(lines).toEqual([
      'invalid-option: config.duration: "10" is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h".',
      'invalid-option: config.connections: "0" is not a whole number from 1 to 20000.',
      'invalid-option: config.threads: "1.5" is not a whole number from 1 to 1024.',
      'invalid-option: config.protocol: Invalid option: expected one of "repeat"|"until-stable"|"saturate".',
      "unknown-key: config.gatway in the stack file is not known. Known: gateway, generator, gatewayOptions, generatorOptions, scenario, duration, connections, threads, pacePerConnection, ratePerS, maxInFlight, users, think, spawnPerS, startWithin, iterations, spread, script, generatorWorkers, protocol, repetitions, workers, results, runId, portBase, observe, scrapeInterval, remoteWrite.",
    ]);
  });

  test("names nobody knows, in a preview", () => {
    const settings = { gateway: "nope", generator: "nope", scenario: "nope" };
    expect(refused(settings, {}, ["preview"])).toEqual([
      `unknown-gateway: "nope" is not one of ${namesIn(gateways)}, nor a package or path that can be loaded (Cannot find module 'nope').`,
      `unknown-generator: "nope" is not one of ${namesIn(generators)}, nor a package or path that can be loaded (Cannot find module 'nope').`,
      `unknown-scenario: "nope" is not a scenario. Known: ${known}.`,
    ]);
  });

  test("more threads than connections, and policies the gateway does not support", () => {
    expect(refused({ threads: 8, connections: 4, gateway: bare, scenario: "key-auth" })).toEqual([
      "invalid-load: 8 threads cannot share 4 connections: each thread needs at least one. Give at most 4 threads.",
      policy("key", "nothing"),
      policy("1 consumers", "up to 0"),
    ]);
  });

  test("an arrival rate together with a pace", () => {
    expect(refused({ ratePerS: 100, pacePerConnection: 3 })).toEqual([
      "invalid-load: an arrival rate (ratePerS) and a pace per connection (pacePerConnection) are two models of load; give one of them.",
    ]);
  });

  test("an observatory that would see too little", () => {
    expect(refused({ observe: true, scrapeInterval: "3s" })).toEqual([
      "invalid-option: an observatory that scrapes every 3s sees too little of a run of 5s: its figures need two scrapes. Scrape more often, or measure for 6s or longer.",
    ]);
  });

  test("a port in use, by whom", async () => {
    const server = await listening(13_417);
    try {
      expect(refused({ portBase: 13_400 })).toEqual([portLine(13_417, 13_400)]);
    } finally {
      server.close();
    }
  });

  test("a program that is not installed", () => {
    // Everything of the engine's own, and of the system nothing but a shell and node.
    const engine = (process.env.PATH ?? "")
      .split(delimiter)
      .filter((one) => !/^(\/usr)?(\/local)?\/s?bin\/?$/.test(one));
    const PATH = [
      ...engine.filter((one) => !existsSync(join(one, "wrk"))),
      pathWith("node", "sh", "env", "nginx"),
    ].join(delimiter);
    expect(refused({}, { PATH })).toContain(
      'missing-binary: wrk is not on PATH. Install it, or run "npm run bench", which installs what it uses.',
    );
  });
});
