import { readFileSync } from "node:fs";
import { join } from "node:path";
import { secondsOf, type Load, type RequestSpec, type Target } from "@gatebench/core/contract";
import { requestHeaders, urlOf } from "../request-headers";
import { sealOf } from "../sealed";

/** What sends the requests: Locust's FastHttpUser, its HttpUser, or users of a locustfile of somebody's own. */
export type Client = "fast" | "http" | "own";

const asset = (name: string) => readFileSync(join(__dirname, "../../assets/locust", name), "utf8");
const recorder = ["counts.py", "errors.py", "recorder.py"].map(asset).join("\n\n");
const users = asset("users.py");

/** Our locustfile: what is sent, the recorder, the users. One file, because a coordinator hands it to its workers. */
export function locustfile(load: Load, target: Target, client: "fast" | "http", timeoutS: number): string {
  return [heading, data(load, target, client, { timeoutS }), recorder, users].join("\n");
}

/** The recorder alone, for users of a locustfile of somebody's own. It offers them the target. */
export function recorderFor(own: string, load: Load, target: Target): string {
  return [heading, data(load, target, "own", { locustfile: sealOf(own) }), offering(target), recorder].join("\n");
}

export const usersOf = (load: Load): number =>
  load.model === "closed" ? load.connections : load.model === "open" ? load.maxInFlight : load.users;

const heading = `# Written by gatebench: what is sent, then the recorder, then the users.
`;

function data(load: Load, target: Target, client: Client, more: Readonly<Record<string, unknown>>): string {
  const requests = target.requests.map((request) => `    ${JSON.stringify(sent(request, load, target))},\n`).join("");
  return `LOAD = ${JSON.stringify({ ...course(load), client, ...more })}\nREQUESTS = [\n${requests}]\n`;
}

/** JSON is Python too, as long as nothing in it is true, false or null. */
function course(load: Load) {
  return {
    model: load.model,
    users: usersOf(load),
    spread: load.spread ?? "uniform",
    measureFrom: load.measureFrom ?? "start",
    ...(load.model === "iterations" ? { perUser: load.perUser } : {}),
    ...(load.model === "users" && load.think
      ? { thinkS: [secondsOf(load.think.min), secondsOf(load.think.max)] as const }
      : {}),
    ...(load.model === "closed" && load.pacePerConnection !== undefined ? { pacePerS: load.pacePerConnection } : {}),
  };
}

function sent(request: RequestSpec, { connection }: Load, target: Target) {
  const { method, path, body } = request;
  const close = connection === "per-request" ? { Connection: "close" } : {};
  return { method, path, headers: { ...requestHeaders(request, target), ...close }, ...(body ? { body } : {}) };
}

/** Set in each process, since workers of other hosts have no environment of ours. */
const offering = (target: Target) => `import json
import os

os.environ["GATEBENCH_TARGET"] = ${JSON.stringify(baseOf(target))}
os.environ["GATEBENCH_REQUESTS"] = json.dumps(REQUESTS)
`;

/** The target's address without a path. */
export const baseOf = (target: Target): string => urlOf({ method: "GET", path: "", headers: {}, expect: 200 }, target);
