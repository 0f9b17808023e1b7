/**
 * For tests only: an nGrinder controller's REST API as far as our client uses it, written from nGrinder's source
 * (PerfTestApiController, PerfTestRunnable, Status, ApiExceptionHandlerResolver). It is not nGrinder: it has no agents
 * and sends nothing by itself; what a test's processes did is given by `load`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { zipped } from "./zip";

/** What the processes of a test did. */
export interface Outcome {
  readonly tests: number;
  readonly errors: number;
  /** By agent: its processes' logs. */
  readonly logs: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type Body = Readonly<Record<string, unknown>>;

export interface ControllerOptions {
  readonly port?: number;
  /** Where it listens. Default: loopback. */
  readonly host?: string;
  readonly password?: string;
  /** Agents that are ready, by seconds since the start of this. */
  readonly agentsAt?: (seconds: number) => number;
  /** The state a test ends in. */
  readonly endsAs?: string;
  readonly lastWords?: string;
  /** How long a test stays in TESTING, in place of its own duration. */
  readonly lastsMs?: number;
  /** States that a test never leaves. */
  readonly stuckIn?: string;
  /** How long after its end agents' logs arrive. */
  readonly logsAfterMs?: number;
  readonly load?: (test: Body, script: string) => Promise<Outcome>;
}

export interface Controller {
  readonly port: number;
  readonly tests: readonly Test[];
  readonly requests: readonly string[];
  readonly scripts: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export interface Test {
  readonly id: number;
  readonly body: Body;
  state: string;
  stopAsked: boolean;
  startTime: number;
  finishTime: number;
  outcome: Outcome;
}

const categories: Readonly<Record<string, string>> = {
  SAVED: "PREPARE",
  READY: "PREPARE",
  CHECKOUT_SCRIPT: "PROGRESSING",
  PREPARE_DISTRIBUTION: "PROGRESSING",
  START_CONSOLE: "PROGRESSING",
  START_CONSOLE_FINISHED: "PROGRESSING",
  START_AGENTS: "PROGRESSING",
  START_AGENTS_FINISHED: "PROGRESSING",
  DISTRIBUTE_FILES: "PROGRESSING",
  DISTRIBUTE_FILES_FINISHED: "PROGRESSING",
  START_TESTING: "TESTING",
  TESTING: "TESTING",
  TESTING_FINISHED: "TESTING",
  ABNORMAL_TESTING: "ABNORMAL_TESTING",
  FINISHED: "FINISHED",
  FINISHED_WITH_WARNING: "WARNED",
  STOP_BY_ERROR: "ERROR",
  STOP_ON_ERROR: "ERROR",
  CANCELED: "STOP",
  UNKNOWN: "STOP",
};
const beforeTesting = Object.keys(categories).slice(1, 11);
const stoppable = ["PROGRESSING", "TESTING"];
const isOver = (state: string) => ["FINISHED", "WARNED", "ERROR", "STOP"].includes(categories[state] ?? "");
const nothing: Outcome = { tests: 0, errors: 0, logs: {} };

export async function startController(options: ControllerOptions = {}): Promise<Controller> {
  const tests: Test[] = [];
  const requests: string[] = [];
  const scripts = new Map<string, string>();
  const began = Date.now();
  const agents = () => (options.agentsAt ?? (() => 10))((Date.now() - began) / 1000);
  const routes: readonly (readonly [RegExp, (match: RegExpExecArray, body: string) => unknown])[] = [
    [/^GET \/agent\/api\/availableAgentCount\?targetRegion=NONE$/, () => ({ availableAgentCount: agents() })],
    [
      /^POST \/script\/api\/save\/(.+)$/,
      ([, path = ""], body) => void scripts.set(path, JSON.parse(body).fileEntry.content),
    ],
    [/^POST \/perftest\/api\/?$/, (_, body) => created(JSON.parse(body) as Body)],
    [/^GET \/perftest\/api\/(\d+)\/status$/, ([, id]) => statusOf(testOf(id))],
    [/^GET \/perftest\/api\/(\d+)\/sample$/, () => ({ perf: { testTime: 1, tpsChartData: 2, totalStatistics: {} } })],
    [/^GET \/perftest\/api\/(\d+)\/logs$/, ([, id]) => logsOf(testOf(id))],
    [/^GET \/perftest\/api\/(\d+)\/perf\?/, ([, id]) => perfOf(testOf(id))],
    [/^PUT \/perftest\/api\/(\d+)\?action=stop$/, ([, id]) => void (testOf(id).stopAsked = isStoppable(testOf(id)))],
    [
      /^PUT \/perftest\/api\/(\d+)\?action=status$/,
      ([, id], body) => describe((testOf(id).state = JSON.parse(body)) && testOf(id)),
    ],
    [
      /^GET \/perftest\/(\d+)\/download_log\/(.+)-NONE-log\.zip$/,
      ([, id, agent = ""]) => zipped(testOf(id).outcome.logs[agent] ?? {}),
    ],
    [/^GET \/perftest\/api\/(\d+)$/, ([, id]) => describe(testOf(id))],
  ];
  const testOf = (id = "") => tests[Number(id) - 1] ?? refuse(`PerfTest ${id} does not exists`);

  function created(body: Body): Body {
    validate(body, agents());
    const test: Test = {
      id: tests.length + 1,
      body,
      state: "READY",
      stopAsked: false,
      startTime: 0,
      finishTime: 0,
      outcome: nothing,
    };
    tests.push(test);
    void live(test, options, scripts.get(String(body.scriptName)) ?? "");
    return describe(test);
  }

  const logsOf = ({ outcome, finishTime }: Test) =>
    Date.now() < finishTime + (options.logsAfterMs ?? 0)
      ? []
      : Object.keys(outcome.logs).map((agent) => `${agent}-NONE-log.zip`);

  const describe = (test: Test): Body => ({ ...described(test), lastProgressMessage: options.lastWords ?? "" });

  const server = createServer((request, response) => {
    void answer(request, response, routes, options.password ?? "admin", requests);
  });
  await listening(server, options.port ?? 0, options.host);
  return {
    port: (server.address() as AddressInfo).port,
    tests,
    requests,
    scripts,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

const listening = (server: Server, port: number, host = "127.0.0.1") =>
  new Promise<void>((resolve) => server.listen(port, host, resolve));

class Refusal extends Error {}
const refuse = (message: string): never => {
  throw new Refusal(message);
};

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: readonly (readonly [RegExp, (match: RegExpExecArray, body: string) => unknown])[],
  password: string,
  log: string[],
): Promise<void> {
  const line = `${request.method} ${request.url}`;
  log.push(line);
  const body = await textOf(request);
  // Everybody may ask that (SecurityConfig).
  if (line === "GET /check/healthcheck") return send(response, {});
  const wanted = `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
  if (request.headers.authorization !== wanted) {
    response.writeHead(401, { "WWW-Authenticate": 'Basic realm="ngrinder"' }).end("<html>Unauthorized</html>");
    return;
  }
  try {
    const [found, route] =
      routes.map(([form, route]) => [form.exec(line), route] as const).find(([match]) => match) ?? [];
    if (!found || !route) return void response.writeHead(404, { "Content-Type": "text/html" }).end("<html>404</html>");
    send(response, route(found, body));
  } catch (error) {
    const message = error instanceof Error ? error.message : `${error}`;
    response.writeHead(500, { "Content-Type": "application/json; charset=UTF-8" });
    response.end(
      JSON.stringify({ success: false, message, stackTrace: `java.lang.IllegalArgumentException: ${message}\n\tat …` }),
    );
  }
}

function send(response: ServerResponse, value: unknown): void {
  if (Buffer.isBuffer(value))
    return void response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(value);
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(value === undefined ? "" : JSON.stringify(value, null, 2));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += part;
  return text;
}

/** PerfTestApiController.validate, in its order. */
function validate(body: Body, ready: number): void {
  const { status, threshold, agentCount, vuserPerAgent, processes, threads, scriptName } = body;
  const number = (value: unknown) => Number(value ?? 0);
  if (status !== "READY" && status !== "SAVED") refuse("status only allows SAVE or READY");
  if (threshold === "R" && !(number(body.runCount) > 0)) refuse("runCount should be equal to or less than 10000");
  if (threshold === "D" && !(number(body.duration) > 0)) refuse("duration should be equal to or less than 8");
  if (number(agentCount) > ready) refuse(`test agent should be equal to or less than ${ready}`);
  if (number(vuserPerAgent) > 3000) refuse("vuserPerAgent should be equal to or less than 3000");
  if (!scriptName) refuse("scriptName should be provided.");
  if (number(vuserPerAgent) !== number(processes) * number(threads)) {
    refuse("vuserPerAgent should be equal to (processes * threads)");
  }
}

/** The states in nGrinder's order; the load is sent in TESTING. */
async function live(test: Test, options: ControllerOptions, script: string): Promise<void> {
  for (const state of beforeTesting) {
    if (!(await entered(test, state, options))) return;
    await pause(5);
  }
  test.startTime = Date.now();
  if (!(await entered(test, "TESTING", options))) return;
  const lastsMs = options.lastsMs ?? Number(test.body.duration ?? 0);
  const [outcome] = await Promise.all([
    options.load?.(test.body, script) ?? nothing,
    pauseUnlessStopped(test, lastsMs),
  ]);
  test.outcome = outcome;
  const ends = test.stopAsked ? "CANCELED" : (options.endsAs ?? "FINISHED");
  if (ends === "STOP_BY_ERROR" && !(await entered(test, "ABNORMAL_TESTING", options))) return;
  test.finishTime = Math.max(Date.now(), test.startTime + (options.lastsMs === undefined ? lastsMs : 0));
  test.state = ends;
}

async function entered(test: Test, state: string, { stuckIn }: ControllerOptions): Promise<boolean> {
  if (test.state === "SAVED") return false;
  test.state = state;
  while (stuckIn === state && !test.stopAsked && (test.state as string) !== "SAVED") await pause(10);
  if ((test.state as string) === "SAVED") return false;
  if (test.stopAsked) [test.state, test.finishTime] = ["CANCELED", Date.now()];
  return !test.stopAsked;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

async function pauseUnlessStopped(test: Test, ms: number): Promise<void> {
  for (const until = Date.now() + ms; Date.now() < until && !test.stopAsked;) await pause(20);
}

const isStoppable = ({ state }: Test) => stoppable.includes(categories[state] ?? "");

/** An object on output, a bare name on input. */
const statusObject = (name: string) => ({
  name,
  category: categories[name],
  stoppable: stoppable.includes(categories[name] ?? ""),
});

const statusOf = (test: Test) => ({
  id: test.id,
  status: statusObject(test.state),
  message: `<b>${test.state}</b><br>`,
});

function described({ id, body, state, startTime, finishTime, outcome: { tests, errors } }: Test): Body {
  const ms = isOver(state) ? Math.max(1, finishTime - startTime) : 0;
  const seconds = Math.floor(finishTime / 1e3) - Math.floor(startTime / 1e3);
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, "0"),
  );
  const tps = ms === 0 ? 0 : Math.round((tests / ms) * 1e5) / 100;
  return {
    ...{ createdBy: { userId: "admin" }, duration: 60000, runCount: 0, samplingInterval: 2, ...body, id },
    ...{ status: statusObject(state), startTime, finishTime, runtime: isOver(state) ? clock.join(":") : "00:00:00" },
    ...{
      tests,
      errors,
      tps,
      peakTps: tests === 0 ? 0 : tps + 1,
      meanTestTime: tests === 0 ? 0 : 1.25,
      progressMessage: "",
    },
  };
}

/** One value for each interval. */
function perfOf({ outcome: { tests, errors } }: Test): Body {
  return { Tests: { Tests: [tests] }, Errors: { Errors: [errors] }, chartInterval: 1 };
}
