/** What each generator counts, against the log of a server whose every answer is known: the good, the bad, the broken off. */
import { createServer } from "node:net";
import { once } from "node:events";
import type { GeneratorAdapter, Load, LoadResult } from "@gatebench/core";
import { hey, k6, locust, oha, wrk } from "@gatebench/generators";
import { knownServer, type KnownServer, type Truth } from "./truth/known-server";
import { send } from "./truth/sent";

jest.setTimeout(120_000);

const connections = 8;
const seconds = 2;
const load: Load = { model: "closed", connections, duration: `${seconds}s` };
const perRequest: Load = { ...load, connection: "per-request" };
/** Short, so that what is never answered is given up within a run. */
const timeout = "1s";

const generators: Readonly<Record<string, GeneratorAdapter>> = {
  wrk: wrk({ timeout, countStatuses: true }),
  hey: hey({ timeout }),
  oha: oha({ timeout }),
  k6: k6({ timeout }),
  locust: locust({ timeout }),
  "locust-http": locust({ timeout, client: "http" }),
};
const names = Object.keys(generators);

let server: KnownServer;
afterEach(() => server.stop());

async function seen(
  name: string,
  answers: string,
  asked: Load = load,
): Promise<{ readonly result: LoadResult; readonly truth: Truth }> {
  server = await knownServer(answers);
  const { result } = await send(generators[name] as GeneratorAdapter, asked, { port: server.port });
  return { result, truth: await server.truth() };
}

/** Within what was in flight when the generator stopped. */
function expectNear(said: number, truth: number, allowed = connections): void {
  expect({ said, truth, near: Math.abs(said - truth) <= allowed }).toEqual({ said, truth, near: true });
}

const errorsOf = ({ errors }: LoadResult, ...kinds: readonly string[]): number =>
  kinds.reduce((sum, kind) => sum + (errors[kind] ?? 0), 0);
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** From the first request that came to the last that was answered. */
function servedS({ arrivedMs, tookMs }: Truth): number {
  const last = Math.max(...arrivedMs.map((ms, index) => ms + (tookMs[index] as number)));
  return (last - Math.min(...arrivedMs)) / 1000;
}

test.each(names)("%s counts every status the server gave, and no other, on connections it keeps", async (name) => {
  const { result, truth } = await seen(name, "mixed-statuses");
  expect(truth.requests).toBeGreaterThan(1000);
  expect(Object.keys(result.statuses).sort()).toEqual(Object.keys(truth.statuses).sort());
  for (const [status, count] of Object.entries(truth.statuses)) expectNear(result.statuses[status] ?? 0, count);
  expect(sum(result.statuses)).toBe(result.responses);
  expect(truth.connections).toBeLessThanOrEqual(2 * connections + 2);
  expect(result.rps).toBeCloseTo((result.statuses["200"] as number) / result.durationS, 6);
});

test.each(names)("%s states the time in which it really sent", async (name) => {
  const { result, truth } = await seen(name, "slow-tail");
  expect(Math.abs(result.durationS - servedS(truth))).toBeLessThan(0.15);
  expectNear(result.responses, truth.tookMs.length);
});

test.each(names)("%s opens a connection for each request where that is asked", async (name) => {
  const { result, truth } = await seen(name, "mixed-statuses", perRequest);
  const looks = generators[name]?.reports.emptyConnections ?? 0;
  expectNear(truth.connections, result.responses, connections + looks);
});

test.each(names)("%s counts resets, or says that some are repeated unseen", async (name) => {
  const { result, truth } = await seen(name, "resets");
  const failed = errorsOf(result, "reset", "eof", "read", "write");
  expectNear(result.responses, sum(truth.statuses));
  expect(failed).toBe(sum(result.errors));
  if (generators[name]?.reports.repeatsUnseen) {
    expect(result.caveats).toContain("repeats-unseen");
    expect(failed).toBeLessThanOrEqual(truth.resets + connections);
  } else {
    expectNear(failed, truth.resets);
  }
});

test.each(names)("%s gives up what is never answered, and does not call it a response", async (name) => {
  const { result, truth } = await seen(name, "hangs");
  expect(truth.hung).toBeGreaterThan(connections / 2);
  expectNear(result.responses, sum(truth.statuses));
  // wrk never gives up: what hangs is on the way until it stops.
  if (name === "wrk") expect(result.errors).toEqual({});
  else expectNear(errorsOf(result, "timeout"), truth.hung);
});

test.each(names)("%s does not count more than was served where answers break off", async (name) => {
  const { result, truth } = await seen(name, "truncated");
  const whole = sum(truth.statuses);
  expect(truth.truncated).toBeGreaterThan(connections);
  // A tool that looks at the status alone takes them for answers; none may lose or invent any.
  expectNear(result.responses + sum(result.errors), whole + truth.truncated);
  expect(result.responses).toBeGreaterThanOrEqual(whole - connections);
});

test.each(names)("%s has no responses where nobody listens, and says why", async (name) => {
  server = await knownServer("ok");
  const port = await closedPort();
  const sent = send(generators[name] as GeneratorAdapter, load, { port });
  // wrk looks at the address before it begins, and does not begin.
  if (name === "wrk") return expect(sent).rejects.toThrow(/^job-failed: wrk ended with exit code 1: unable to connect/);
  const { result } = await sent;
  expect({ ...result.statuses, responses: result.responses, rps: result.rps }).toEqual({ responses: 0, rps: 0 });
  expect(Object.keys(result.errors)).toEqual(["connect"]);
  expect(Object.values(result.latencyMs).every((value) => value === null)).toBe(true);
});

/** A port on which somebody listened a moment ago. */
async function closedPort(): Promise<number> {
  const listening = createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as { port: number };
  listening.close();
  await once(listening, "close");
  return port;
}
