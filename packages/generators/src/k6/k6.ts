import {
  fault,
  fileOf,
  inFlightBound,
  listed,
  loadFaults,
  refuse,
  remoteWriteJob,
  remoteWriteUrl,
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
import { requestHeaders, urlOf } from "../request-headers";
import { countedWith } from "./counted";
import { image } from "./image";
import { parseK6 } from "./parse";
import { k6Request } from "./requests";
import { cipherSuites, script } from "./script";
import { spacingS, trafficS, wholeRate } from "./traffic";

export interface K6Options {
  /**
   * An answer later than this is an error. What is under way when the load ends is broken off and counted nowhere, so a
   * timeout is seen only where it is shorter than the load.
   * @default "20s"
   */
  readonly timeout?: Duration;
  /** Status codes to count beside the usual ones. k6 counts none it was not told of, and a run with others is refused. */
  readonly statuses?: readonly number[];
  /**
   * The text of your own k6 script. Its default function is run as the load says, with its setup, teardown and options;
   * its scenarios and its summary are not used. The target stands in `__ENV` and in `requests.json` beside it.
   */
  readonly script?: string;
  /** The version the image is named by. @default "1.8.1" */
  readonly version?: string;
}

/** k6: all four models, scripts of one's own, and Kubernetes; several times wrk's CPU for each request. */
export function k6(options: K6Options = {}): GeneratorAdapter {
  const { version = image.version } = options;
  return {
    ...adapter,
    version,
    plan: (load, target) => {
      refuse(k6Faults(load, target, options));
      return plan(load, target, options);
    },
    parse: (output, asked) => parseK6(output, asked),
  };
}

const reports: GeneratorCapabilities = {
  connections: ["keep-alive", "per-request"],
  pace: true,
  bodies: true,
  requests: "many",
  // "uniform" is in turn over all users: every request equally often.
  spreads: ["uniform", "normal"],
  percentiles: ["p50", "p75", "p90", "p95", "p99", "p999"],
  statuses: "codes",
  // Its summary has percentiles only, made from all values by k6 itself.
  histogram: false,
  series: false,
  distributed: false,
  scripts: true,
  remoteWrite: {
    options: ["--out=experimental-prometheus-rw", `--tag=job=${remoteWriteJob}`],
    env: {
      K6_PROMETHEUS_RW_SERVER_URL: remoteWriteUrl,
      // Else a time is sent as its P99 so far, of which no other can be made.
      K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM: "true",
      K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s",
    },
  },
  // Go's HTTP client does, for requests that are safe to repeat.
  repeatsUnseen: true,
};

const adapter = { name: "k6", models: ["closed", "open", "users", "iterations"] as const, reports };

/** Everything that k6 cannot send of this load, or that is wrong with the options. */
export function k6Faults(load: Load, target: Target, options: K6Options): readonly Fault[] {
  return [
    ...loadFaults(load),
    ...unsupportedLoad(adapter, load, target.requests),
    ...rateFaults(load),
    ...rampFaults(load),
    ...tlsFaults(target),
    ...optionFaults(options),
  ];
}

function plan(load: Load, target: Target, options: K6Options): GeneratorPlan {
  const vus = inFlightBound(load);
  return {
    kind: "containers",
    job: {
      image: image.of(options.version ?? image.version),
      command: ["k6", "run", ...flags, "--address=", fileOf("script.js")],
      versionCommand: ["k6", "version"],
      env: environment(load, target, options),
      files: scriptFiles(load, target, options),
      openFiles: 2 * vus + 1000,
      // Each virtual user is a JavaScript machine, which takes milliseconds to start; a user's setup and teardown have a
      // minute each (`setupTimeout`).
      killAfterS:
        trafficS(load, timeoutS(options)) + 30 + Math.ceil(vus / 50) + (options.script === undefined ? 0 : 120),
    },
  };
}

/** Nothing but figures on stdout, and nothing to anybody else. */
export const flags = ["--quiet", "--no-color", "--no-usage-report"];

const timeoutS = ({ timeout = "20s" }: K6Options) => secondsOf(timeout);

/** The script, and what it reads. */
export function scriptFiles(load: Load, target: Target, options: K6Options): Readonly<Record<string, string>> {
  const requests = target.requests.map((request) => k6Request(request, target, `${timeoutS(options)}s`));
  const main = script({
    load,
    requests,
    counted: countedWith([...target.requests.map(({ expect }) => expect), ...(options.statuses ?? [])]),
    timeoutS: timeoutS(options),
    tls: target.scheme === "https" ? target.tls : undefined,
    isUsers: options.script !== undefined,
  });
  if (options.script === undefined) return { "script.js": main };
  return { "script.js": main, "user.js": options.script, "requests.json": JSON.stringify(requests, null, 2) };
}

/** k6 speaks HTTP/2 where it can, unless Go is told otherwise. */
export function environment(load: Load, target: Target, { script }: K6Options): Readonly<Record<string, string>> {
  const threads = load.model === "closed" ? load.threads : undefined;
  return {
    GODEBUG: "http2client=0",
    ...(threads === undefined ? {} : { GOMAXPROCS: `${threads}` }),
    ...(script === undefined ? {} : offered(target)),
  };
}

/** What a user's script finds in `__ENV`; all requests are in requests.json. */
function offered(target: Target): Readonly<Record<string, string>> {
  const first = target.requests[0] as RequestSpec;
  return {
    GATEBENCH_URL: urlOf({ ...first, path: "" }, target),
    GATEBENCH_HEADERS: JSON.stringify(requestHeaders(first, target)),
  };
}

function rateFaults(load: Load): readonly Fault[] {
  if (load.model !== "open" || wholeRate(load.ratePerS) !== undefined) return [];
  return [
    fault(
      "invalid-load",
      `k6 counts arrivals in whole thousandths per second, and ${load.ratePerS}/s is none. Ask for ${Number(load.ratePerS.toFixed(3)) || 0.001}/s.`,
    ),
  ];
}

function rampFaults(load: Load): readonly Fault[] {
  if (load.model !== "users" || load.duration === undefined) return [];
  if (load.spawnPerS !== undefined && load.startWithin !== undefined) {
    return [fault("invalid-load", `users start at a rate or within a time; drop "spawnPerS" or "startWithin".`)];
  }
  const lastS = spacingS(load) * (load.users - 1);
  if (lastS < secondsOf(load.duration)) return [];
  const lastWord = `the last of ${load.users} users would start after ${Number(lastS.toFixed(3))} s of a load of ${load.duration}`;
  return [fault("invalid-load", `${lastWord}. Give a longer duration, fewer users, or a faster start.`)];
}

function tlsFaults({ scheme, tls }: Target): readonly Fault[] {
  if (scheme === "http" || tls === undefined || tls.version !== "1.2" || cipherSuites[tls.cipher] !== undefined)
    return [];
  return [
    fault(
      "unsupported-load",
      `k6 cannot offer the cipher "${tls.cipher}". It can: ${listed(Object.keys(cipherSuites))}. Choose one of these, or another generator.`,
    ),
  ];
}

function optionFaults({ timeout = "20s", statuses = [], script }: K6Options): readonly Fault[] {
  const wrong = statuses.filter((status) => !Number.isInteger(status) || status < 100 || status > 999);
  const faults: (Fault | false)[] = [
    secondsOf(timeout) <= 0 &&
      fault("invalid-option", `k6's timeout cannot be "${timeout}"; give more than "0s", such as "20s".`),
    wrong.length > 0 &&
      fault(
        "invalid-option",
        `k6 cannot count the status ${listed(wrong)}; statuses are whole numbers from 100 to 999.`,
      ),
    script !== undefined &&
      !/\bexport\s+default\b|\bas\s+default\b/.test(script) &&
      fault(
        "invalid-option",
        `k6's script has no default function to run; begin it with "export default function () {".`,
      ),
  ];
  return faults.filter((entry) => entry !== false);
}
