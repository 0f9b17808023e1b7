/** For tests only: what nGrinder's worker processes do with our script, in one process of Node. */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "./controller";
import { Recorder } from "./recorder";
import type { Task } from "./serve";

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expect: number;
}

const timeoutMs = 10_000;
const unquoted = (text = "") => text.replace(/\\(.)/g, "$1");
const word = "'((?:[^'\\\\]|\\\\.)*)'";

/** As script.ts writes them. */
function requestsIn(script: string): readonly Sent[] {
  const lines = script.split("\n").filter((line) => line.trimStart().startsWith("[method: "));
  return lines.map((line) => {
    const [, method] = new RegExp(`method: ${word}`).exec(line) ?? [];
    const [, url] = new RegExp(`url: ${word}`).exec(line) ?? [];
    const [, expect] = /expect: (\d+)/.exec(line) ?? [];
    const headers = [...line.matchAll(new RegExp(`BasicHeader\\(${word}, ${word}\\)`, "g"))];
    return {
      ...{ method: unquoted(method), url: unquoted(url), expect: Number(expect) },
      headers: Object.fromEntries(headers.map(([, name, value]) => [unquoted(name), unquoted(value)])),
    };
  });
}

/** When a thread starts, as nGrinder's ramp by threads has it. */
function startMs(test: Task["test"], thread: number): number {
  if (test.useRampUp !== true) return 0;
  const [first, step, everyMs] = [test.rampUpInitCount, test.rampUpStep, test.rampUpIncrementInterval].map(Number);
  return thread < (first as number)
    ? 0
    : Math.ceil((thread + 1 - (first as number)) / (step as number)) * (everyMs as number);
}

export async function sendLoad({ agent, test, script }: Task, name: string): Promise<Outcome> {
  const requests = requestsIn(script);
  const durationMs = Number(/durationNs = (\d+)/.exec(script)?.[1] ?? 0) / 1e6;
  const [processes, threads] = [Number(test.processes), Number(test.threads)];
  const recorders = Array.from({ length: processes }, (_, index) => new Recorder(agent, index));
  const users = recorders.flatMap((recorder) => {
    const until = durationMs > 0 ? Date.now() + durationMs : Infinity;
    const runs = durationMs > 0 ? Infinity : Number(test.runCount);
    return Array.from({ length: threads }, (_, thread) => user(recorder, requests, { test, thread, until, runs }));
  });
  await Promise.all(users);
  const sum = (of: "good" | "bad") => recorders.reduce((total, recorder) => total + recorder[of], 0);
  const files = recorders.map((recorder, index) => [`${name}-${index}.log`, recorder.log(durationMs)] as const);
  return { tests: sum("good"), errors: sum("bad"), logs: { [name]: Object.fromEntries(files) } };
}

interface Course {
  readonly test: Task["test"];
  readonly thread: number;
  readonly until: number;
  readonly runs: number;
}

async function user(
  recorder: Recorder,
  requests: readonly Sent[],
  { test, thread, until, runs }: Course,
): Promise<void> {
  await sleep(startMs(test, thread));
  const options = { keepAlive: test.connectionReset !== true, maxSockets: 1 };
  const agents = {
    "http:": new HttpAgent(options),
    "https:": new HttpsAgent({ ...options, rejectUnauthorized: false }),
  };
  for (let turn = thread; turn < thread + runs && Date.now() < until; turn += 1) {
    const sent = requests[turn % requests.length] as Sent;
    await recorder.timed(sent.expect, () => answerTo(sent, agents));
  }
  for (const each of Object.values(agents)) each.destroy();
}

function answerTo(
  { method, url, headers }: Sent,
  agents: Readonly<Record<"http:" | "https:", HttpAgent>>,
): Promise<number> {
  const { protocol } = new URL(url) as unknown as { readonly protocol: "http:" | "https:" };
  const open = protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers, agent: agents[protocol], timeout: timeoutMs }, (response) => {
      response.on("error", reject).on("end", () => resolve(response.statusCode as number));
      response.resume();
    });
    request.on("timeout", () => request.destroy(new Error("Timeout"))).on("error", reject);
    request.end();
  });
}
