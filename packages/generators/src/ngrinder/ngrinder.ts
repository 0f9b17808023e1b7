import {
  addressOf,
  fault,
  fileOf,
  loadFaults,
  refuse,
  secondsOf,
  unsupportedLoad,
  type Duration,
  type Fault,
  type GeneratorAdapter,
  type GeneratorCapabilities,
  type GeneratorPlan,
  type Load,
  type RequestSpec,
  type Target,
} from "@gatebench/core/contract";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectsBody } from "../request-headers";
import { crewOf, portNames, portsOf } from "./crew";
import { image } from "./image";
import { parseNGrinder } from "./parse";
import { script } from "./script";
import { splitOf, type Split } from "./split";

export interface NGrinderOptions {
  /** The version of controller and agents. @default "3.5.9-p1" */
  readonly version?: string;
  /** Agents a test runs on. It waits for them. @default one for each host given for workers */
  readonly agents?: number;
  /** JVMs on each agent. @default the fewest with at most 500 threads each */
  readonly processes?: number;
  /** Threads, that is users, of each process. @default users ÷ agents ÷ processes */
  readonly threads?: number;
  /**
   * Lets the script count statuses and errors and keep every latency: nGrinder itself has no percentiles, no codes, and
   * counts only until it stops its processes. Without, results carry "classes-only" and "failures-unsorted".
   * @default true
   */
  readonly recorder?: boolean;
  /** Answers and connections that take longer are errors. @default "10s" */
  readonly timeout?: Duration;
  /** Who logs in at the controller; may be a reference. @default "admin", as the image is delivered */
  readonly user?: string;
  /** May be a reference. It reaches the job by its environment. @default "admin", as the image is delivered */
  readonly password?: string;
  /** A script of one's own in place of ours. It decides what is sent, and has no recorder. */
  readonly script?: string;
}

type Settings = Required<Omit<NGrinderOptions, "agents" | "processes" | "threads" | "script">> &
  Pick<NGrinderOptions, "agents" | "processes" | "threads" | "script">;

/** nGrinder: a controller, and agents that run a Groovy script in JVMs; common where test farms are kept. */
export function ngrinder(options: NGrinderOptions = {}): GeneratorAdapter {
  const { version = image.version, timeout = "10s", user = "admin", password = "admin" } = options;
  const { agents, processes, threads, script: own } = options;
  const recorder = own === undefined && (options.recorder ?? true);
  const settings: Settings = { version, timeout, user, password, agents, processes, threads, script: own, recorder };
  const reports = capabilities(settings.recorder);
  const adapter = {
    name: "ngrinder",
    version: settings.version,
    models: ["closed", "users", "iterations"] as const,
    reports,
  };
  return {
    ...adapter,
    ports: portNames,
    crew: (site) => crewOf(settings.version, site),
    plan: (load, target) => {
      refuse([
        ...loadFaults(load),
        ...unsupportedLoad(adapter, load, target.requests),
        ...target.requests.flatMap(requestFaults),
        ...ownFaults(load, options),
      ]);
      return plan(load, target, settings);
    },
    parse: (output, asked) => parseNGrinder(output, asked),
  };
}

function capabilities(recorder: boolean): GeneratorCapabilities {
  return {
    connections: ["keep-alive", "per-request"],
    pace: false,
    bodies: true,
    requests: "many",
    // In turn, by each thread from its own place.
    spreads: ["uniform", "normal"],
    percentiles: recorder ? ["p50", "p75", "p90", "p95", "p99", "p999"] : [],
    statuses: recorder ? "codes" : "classes",
    histogram: recorder,
    series: true,
    distributed: "required",
    // Its connection pool asks for a connection that is open, and sends once (HTTPRequest.doRequest).
    repeatsUnseen: false,
    scripts: true,
  };
}

function plan(load: Load, target: Target, settings: Settings): GeneratorPlan {
  const agents = settings.agents ?? Math.max(1, target.workers ?? 1);
  const split = splitOf(usersOf(load), agents, settings);
  const seconds = load.duration === undefined ? undefined : secondsOf(load.duration);
  const config = configOf(load, target, split, settings);
  return {
    kind: "containers",
    job: {
      image: image.client,
      command: ["node", fileOf("drive.mjs"), fileOf("test.json"), fileOf("TestRunner.groovy")],
      env: { NGRINDER_USER: settings.user, NGRINDER_PASSWORD: settings.password },
      files: {
        "drive.mjs": client,
        "test.json": `${JSON.stringify(config, null, 2)}\n`,
        "TestRunner.groovy": settings.script ?? script(load, target, scriptOptions(settings)),
      },
      // Runs by count last as long as they last: an hour is more than anybody waits.
      killAfterS: (seconds ?? 3600) + startS + waitForAgentsS + logsWithinS + 60,
    },
  };
}

/** JVMs start while nGrinder's clock already runs; the script keeps the time asked for by itself and ends within this. */
const startS = 15;
const waitForAgentsS = 120;
const logsWithinS = 60;
const client = readFileSync(join(__dirname, "../../assets/ngrinder/drive.mjs"), "utf8");

const scriptOptions = ({ recorder, timeout }: Settings) => ({ record: recorder, timeoutS: secondsOf(timeout) });

/** What our client is told; the test as nGrinder's REST API takes it. */
function configOf(load: Load, { ports, requests }: Target, split: Split, settings: Settings) {
  return {
    controller: `http://${addressOf("generator")}:${portsOf(ports).http}`,
    waitForAgentsS,
    logsWithinS,
    recorder: settings.recorder,
    expect: settings.script === undefined ? [...new Set(requests.map(({ expect }) => expect))] : null,
    test: perfTest(load, split, settings),
  };
}

function perfTest(load: Load, { agents, processes, threads }: Split, { recorder }: Settings) {
  const ends =
    load.model === "iterations"
      ? { threshold: "R", runCount: load.perUser }
      : {
          threshold: "D",
          duration: Math.round(secondsOf(load.duration as Duration) * 1e3) + (recorder ? startS * 1e3 : 0),
        };
  return {
    testName: `gatebench ${load.model}`,
    status: "READY",
    scriptName: "gatebench/TestRunner.groovy",
    ...ends,
    agentCount: agents,
    vuserPerAgent: processes * threads,
    processes,
    threads,
    samplingInterval: 1,
    ignoreSampleCount: 0,
    // A gateway that refuses is a result; nGrinder would stop the test.
    ignoreTooManyError: true,
    connectionReset: load.connection === "per-request",
    targetHosts: "",
    region: "NONE",
    param: "",
    safeDistribution: false,
    ...rampOf(load, threads),
  };
}

/** nGrinder's own ramp, by threads: each process starts a step of them at each interval of whole milliseconds. */
function rampOf(load: Load, threads: number) {
  const seconds = rampS(load);
  if (seconds === undefined || threads < 2) return { useRampUp: false };
  const perThreadMs = (seconds * 1e3) / threads;
  const step = Math.max(1, Math.ceil(1 / perThreadMs));
  return {
    useRampUp: true,
    rampUpType: "THREAD",
    rampUpInitCount: step,
    rampUpInitSleepTime: 0,
    rampUpStep: step,
    rampUpIncrementInterval: Math.max(1, Math.round(perThreadMs * step)),
  };
}

function rampS(load: Load): number | undefined {
  if (load.model !== "users" && load.model !== "iterations") return undefined;
  if (load.startWithin !== undefined && secondsOf(load.startWithin) > 0) return secondsOf(load.startWithin);
  return load.model === "users" && load.spawnPerS !== undefined ? load.users / load.spawnPerS : undefined;
}

const usersOf = (load: Load): number => {
  if (load.model === "closed") return load.connections;
  return load.model === "open" ? load.maxInFlight : load.users;
};

function requestFaults({ method, body }: RequestSpec): readonly Fault[] {
  if (!methods.includes(method)) {
    return [fault("unsupported-request", `nGrinder cannot send ${method}. It can: ${methods.join(", ")}.`)];
  }
  return body === undefined || expectsBody(method)
    ? []
    : [fault("unsupported-request", `nGrinder cannot send a body with ${method}. It can with: POST, PUT, PATCH.`)];
}

const methods = ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"];

function ownFaults(load: Load, { script: own, recorder, agents, timeout }: NGrinderOptions): readonly Fault[] {
  const faults: (Fault | false)[] = [
    load.model === "closed" &&
      load.threads !== undefined &&
      fault("invalid-load", "nGrinder gives each connection a thread of its own. Drop the load's threads."),
    load.model === "users" &&
      load.spawnPerS !== undefined &&
      load.startWithin !== undefined &&
      fault("invalid-load", "users cannot start both at a rate and within a time. Drop spawnPerS or startWithin."),
    own !== undefined &&
      recorder === true &&
      fault("invalid-option", "nGrinder's recorder is part of our script, not of your own. Drop recorder or script."),
    agents !== undefined &&
      !(Number.isInteger(agents) && agents >= 1) &&
      fault("invalid-option", `nGrinder cannot run on ${agents} agents. Give a whole number from 1.`),
    timeout !== undefined &&
      secondsOf(timeout) < 0.001 &&
      fault("invalid-option", `nGrinder's timeout cannot be "${timeout}". Give at least "1ms".`),
    load.model === "iterations" &&
      load.perUser > 1_000_000 &&
      fault("unsupported-load", `nGrinder runs a script at most 1000000 times, not ${load.perUser}.`),
  ];
  return faults.filter((entry) => entry !== false);
}
