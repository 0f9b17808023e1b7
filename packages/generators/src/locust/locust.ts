import {
  bindAddress,
  duration,
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
  type Target,
} from "@gatebench/core/contract";
import { crewOf, defaultPort, portName } from "./crew";
import { image } from "./image";
import { baseOf, locustfile, recorderFor, usersOf, type Client } from "./locustfile";
import { parseLocust } from "./parse";
import { rampOf, spawnRateOf } from "./ramp";

export interface LocustOptions {
  /**
   * "fast": Locust's FastHttpUser. "http": its HttpUser, for figures to hold against others made with it; a quarter of
   * the requests for the same CPU, and no https with a connection per request.
   * @default "fast"
   */
  readonly client?: "fast" | "http";
  /** Processes on each host that sends: Python uses one core per process. @default 1 */
  readonly processes?: number;
  /**
   * The text of a locustfile of your own, for users that do more than send requests. Its users find the target in their
   * `host` and in the environment (`GATEBENCH_TARGET`, `GATEBENCH_REQUESTS`), decide by themselves what to send and when
   * to wait, and are counted as ours are.
   */
  readonly script?: string;
  /** An answer later than this is an error. @default "60s" */
  readonly timeout?: Duration;
  /** The image's version. Workers of another version are not spoken to. @default "2.47.0" */
  readonly version?: string;
}

/** Locust: users in Python, on one host or many. */
export function locust(options: LocustOptions = {}): GeneratorAdapter {
  const { client = "fast", processes = 1, timeout = "60s", version = image.version, script: own } = options;
  const asked: Settings = { client: own === undefined ? client : "own", processes, timeout, version, own };
  const models = own === undefined ? (["closed", "users", "iterations"] as const) : (["closed", "users"] as const);
  const adapter = { name: "locust", version, models, reports: capabilities(asked.client), ports: [portName] };
  return {
    ...adapter,
    crew: (site) => crewOf(site, image.of(version), processes),
    plan: (load, target) => {
      refuse([
        ...loadFaults(load),
        ...unsupportedLoad(adapter, load, target.requests),
        ...optionFaults(asked),
        ...courseFaults(load),
        ...clientFaults(load, target, asked.client),
      ]);
      return plan(load, target, asked);
    },
    parse: (output, given) => parseLocust(output, given),
  };
}

interface Settings {
  readonly client: Client;
  readonly processes: number;
  readonly timeout: Duration;
  readonly version: string;
  readonly own: string | undefined;
}

function capabilities(client: Client): GeneratorCapabilities {
  const isOurs = client !== "own";
  return {
    connections: isOurs ? ["keep-alive", "per-request"] : ["keep-alive"],
    // A user that was late does not catch up: users × pace is a ceiling.
    pace: isOurs,
    bodies: true,
    requests: "many",
    // Uniform: in turn, by each user, from a request of its own.
    spreads: isOurs ? ["uniform", "normal"] : ["uniform"],
    percentiles: ["p50", "p75", "p90", "p95", "p99", "p999"],
    statuses: "codes",
    histogram: true,
    series: true,
    distributed: true,
    measuresFrom: ["start", "after-ramp"],
    scripts: true,
  };
}

function plan(load: Load, target: Target, { client, processes, timeout, version, own }: Settings): GeneratorPlan {
  const files = filesOf(load, target, client, secondsOf(timeout), own);
  const paths = Object.keys(files).map(fileOf).join(",");
  return {
    kind: "containers",
    job: {
      image: image.of(version),
      command: ["locust", "-f", paths, ...flow(load), "-H", baseOf(target), ...sharing(target, processes)],
      versionCommand: ["locust", "--version"],
      files,
      openFiles: 2 * usersOf(load) + 1000,
      ...(target.workers ? { ports: { [portName]: target.ports?.[portName] ?? defaultPort } } : {}),
      killAfterS: longest(load) + workersWaitS + 30,
    },
  };
}

function filesOf(
  load: Load,
  target: Target,
  client: Client,
  timeoutS: number,
  own: string | undefined,
): Readonly<Record<string, string>> {
  return client === "own"
    ? { "gatebench_recorder.py": recorderFor(own ?? "", load, target), "user.py": own ?? "" }
    : { "locustfile.py": locustfile(load, target, client, timeoutS) };
}

function flow(load: Load): readonly string[] {
  const time = load.duration === undefined ? [] : ["-t", `${secondsOf(load.duration)}s`];
  // Statuses are judged by us; a failed request is no failed run.
  const quiet = ["--headless", "--only-summary", "--exit-code-on-error", "0"];
  return [...quiet, "-u", `${usersOf(load)}`, "-r", `${spawnRateOf(load)}`, ...time];
}

/** Seconds to wait until every worker is there. */
const workersWaitS = 60;
/** Seconds that users who end by count may take. */
const longestCountS = 3600;
const longest = ({ duration: asked }: Load) => (asked === undefined ? longestCountS : secondsOf(asked));

function sharing({ workers = 0, ports }: Target, processes: number): readonly string[] {
  const port = `${ports?.[portName] ?? defaultPort}`;
  const wait = ["--master-bind-port", port, "--expect-workers-max-wait", `${workersWaitS}`];
  if (workers > 0) {
    const count = `${workers * processes}`;
    return ["--master", "--master-bind-host", bindAddress, ...wait, "--expect-workers", count];
  }
  const here = ["--master-bind-host", "127.0.0.1", "--master-host", "127.0.0.1", "--master-port", port];
  return processes > 1 ? ["--processes", `${processes}`, ...here, ...wait] : [];
}

function optionFaults({ processes, timeout }: Settings): readonly Fault[] {
  const faults: (Fault | false)[] = [
    !(Number.isInteger(processes) && processes >= 1) &&
      fault("invalid-option", `locust's processes are a whole number from 1, not ${processes}.`),
    secondsOf(timeout) <= 0 && fault("invalid-option", `locust's timeout must be above 0, not ${timeout}.`),
  ];
  return faults.filter((entry) => entry !== false);
}

function courseFaults(load: Load): readonly Fault[] {
  const seconds = load.duration === undefined ? undefined : secondsOf(load.duration);
  const ramp = rampOf(load);
  const faults: (Fault | false | undefined)[] = [
    seconds !== undefined &&
      (!Number.isInteger(seconds) || seconds < 1) &&
      fault("invalid-load", `locust counts time in whole seconds; its duration cannot be ${duration(seconds)}.`),
    load.model === "closed" &&
      load.threads !== undefined &&
      fault(
        "unsupported-load",
        `locust has no threads; each of its processes uses one core. Drop "threads", or give locust({ processes: ${load.threads} }).`,
      ),
    load.model === "users" &&
      load.spawnPerS !== undefined &&
      load.startWithin !== undefined &&
      fault("invalid-load", `users start "spawnPerS" or "startWithin", not both. Drop one.`),
    load.model === "iterations" &&
      load.measureFrom === "after-ramp" &&
      fault("unsupported-load", `locust counts all iterations. Drop "measureFrom", or use model "users".`),
    seconds !== undefined &&
      ramp >= seconds &&
      fault(
        "invalid-load",
        `${usersOf(load)} users take ${duration(ramp)} to start, and the load lasts ${duration(seconds)}. Start them faster, or give a longer duration.`,
      ),
  ];
  return faults.filter((entry) => entry !== false && entry !== undefined);
}

function clientFaults(load: Load, { scheme }: Target, client: Client): readonly Fault[] {
  const faults: (Fault | false | undefined)[] = [
    client === "http" &&
      scheme === "https" &&
      load.connection === "per-request" &&
      fault(
        "unsupported-load",
        `locust's HttpUser makes a TLS context for each connection and would be measured instead of the gateway. Choose client "fast", or "keep-alive" connections.`,
      ),
    client === "own" &&
      load.model === "users" &&
      load.think !== undefined &&
      fault("unsupported-load", `a locustfile of your own says how long its users think. Drop "think" from the load.`),
  ];
  return faults.filter((entry) => entry !== false && entry !== undefined);
}
