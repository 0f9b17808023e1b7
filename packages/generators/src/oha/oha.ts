import {
  duration,
  fault,
  fileOf,
  folder,
  loadFaults,
  refuse,
  secondsOf,
  unsupportedLoad,
  type ClosedLoad,
  type Duration,
  type Fault,
  type GeneratorAdapter,
  type GeneratorCapabilities,
  type GeneratorPlan,
  type OpenLoad,
  type RequestSpec,
  type Target,
} from "@gatebench/core/contract";
import { expectsBody, requestHeaders, urlOf } from "../request-headers";
import { figuresSql, reportFile, rowsFile } from "./figures";
import type { BuiltImage } from "../debian-image";
import { image } from "./image";
import { parseOha } from "./parse";

export interface OhaOptions {
  /**
   * An answer later than this is an error. oha waits for its last requests, so a gateway that hangs makes the run so
   * much longer.
   * @default "20s"
   */
  readonly timeout?: Duration;
  /** The version the image is named by. @default "1.16.0" */
  readonly version?: string;
}

type OhaLoad = ClosedLoad | OpenLoad;

/** oha: open loads whose latencies count from the intended start, and exact histograms of every load. One request. */
export function oha({ timeout = "20s", version = image.version }: OhaOptions = {}): GeneratorAdapter {
  const adapter = { name: "oha", version, models: ["closed", "open"] as const, reports };
  return {
    ...adapter,
    plan: (load, target) => {
      refuse([...loadFaults(load), ...unsupportedLoad(adapter, load, target.requests)]);
      return plan(load as OhaLoad, target, secondsOf(timeout), image.of(version));
    },
    parse: (output, asked) => parseOha(output, asked),
  };
}

const reports: GeneratorCapabilities = {
  connections: ["keep-alive", "per-request"],
  // -q is of all connections together: whichever is free takes the next request.
  pace: false,
  bodies: true,
  // It can take addresses from a file, but headers and body are the same for all.
  requests: "one",
  spreads: ["uniform"],
  percentiles: ["p50", "p75", "p90", "p95", "p99", "p999"],
  statuses: "codes",
  histogram: true,
  series: true,
  distributed: false,
};

function plan(load: OhaLoad, target: Target, timeoutS: number, built: BuiltImage): GeneratorPlan {
  const request = target.requests[0] as RequestSpec;
  refuse([...pathFaults(request), ...timeoutFaults(timeoutS)]);
  const seconds = secondsOf(load.duration as Duration);
  const options = [...flow(load, timeoutS), ...sending(request, target)];
  return {
    kind: "containers",
    byHand: ["oha", ...options, urlOf(request, target)],
    job: {
      ...built,
      command: ["sh", "-c", reducing, "sh", folder, fileOf("oha.sql"), ...options, urlOf(request, target)],
      programs: ["sh", "oha", "sqlite3"],
      versionCommand: ["oha", "--version"],
      files: {
        "oha.sql": figuresSql(partS(seconds), load.model === "open"),
        ...(request.body ? { body: request.body } : {}),
      },
      openFiles: 2 * connectionsOf(load) + 1000,
      // After the load oha writes a row for each answer, and sqlite3 reads them: some 200,000 rows a second.
      killAfterS: 3 * seconds + timeoutS + 30,
    },
  };
}

/** Runs oha, reduces its rows where they lie, and leaves nothing: rows of an earlier run would be added to. */
const reducing = [
  'cd "$1" || exit',
  "sql=$2",
  "shift 2",
  `rm -f ${rowsFile} ${reportFile}`,
  `oha --output ${reportFile} --db-url ${rowsFile} "$@" && sqlite3 -init /dev/null -batch -bail ${rowsFile} <"$sql"`,
  "status=$?",
  `rm -f ${rowsFile} ${reportFile}`,
  "exit $status",
].join("\n");

/** A series of at most 600 parts, of whole seconds. */
const partS = (seconds: number) => Math.max(1, Math.ceil(seconds / 600));

const connectionsOf = (load: OhaLoad) => (load.model === "open" ? load.maxInFlight : load.connections);

function flow(load: OhaLoad, timeoutS: number): readonly string[] {
  const timeout = spelt(timeoutS);
  return [
    ...["--no-tui", "--output-format", "json"],
    // -w: requests under way at the end are waited for, because those left out would be the slow ones.
    ...["-z", spelt(secondsOf(load.duration as Duration)), "-w", "-c", `${connectionsOf(load)}`],
    ...(load.model === "open" ? ["-q", `${load.ratePerS}`, "--latency-correction"] : threads(load)),
    ...["-t", timeout, "--connect-timeout", timeout],
    ...(load.connection === "per-request" ? ["--disable-keepalive"] : []),
  ];
}

const threads = ({ threads: asked }: ClosedLoad) => (asked === undefined ? [] : ["--worker-threads", `${asked}`]);

/** oha takes whole numbers of a unit only. */
const spelt = (seconds: number): string =>
  Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`;

function sending(request: RequestSpec, target: Target): readonly string[] {
  // hyper says nothing of an empty body; wrk and hey say that it is empty.
  const empty = !request.body && expectsBody(request.method) ? { "Content-Length": "0" } : {};
  const headers = { ...requestHeaders(request, target), ...empty };
  return [
    ...["--http-version", "1.1", "--redirect", "0", "--disable-compression", "--insecure", "-m", request.method],
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(request.body ? ["-D", fileOf("body")] : []),
  ];
}

/** oha reads addresses as browsers do, so that `/a/../b` becomes `/b`, and what follows a `#` is never sent. */
function pathFaults({ path }: RequestSpec): readonly Fault[] {
  const { pathname, search } = new URL(`http://gateway${path}`);
  const sent = `${pathname}${search}`;
  if (sent === path) return [];
  return [
    fault(
      "unsupported-request",
      `oha cannot send the path "${path}": it would send "${sent}". Give this one, or choose another generator, such as wrk.`,
    ),
  ];
}

function timeoutFaults(seconds: number): readonly Fault[] {
  if (seconds >= 0.001) return [];
  return [fault("invalid-option", `oha's timeout is at least 1ms, not ${duration(seconds)}.`)];
}
