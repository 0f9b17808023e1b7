/** TLS transactions by each generator, against a server that knows which handshakes were full. */
import { resolveScenario, type GeneratorAdapter, type Load, type LoadResult } from "@gatebench/core";
import { tlsTpsOf } from "@gatebench/core/measure";
import { hey, k6, locust, oha, wrk } from "@gatebench/generators";
import { knownServer, type KnownServer, type Truth } from "./truth/known-server";
import { send } from "./truth/sent";

jest.setTimeout(60_000);

const connections = 4;
const load: Load = { model: "closed", connections, duration: "2s", connection: "per-request" };
const scenario = resolveScenario({ name: "tls-transactions", scheme: "https" });

const generators: Readonly<Record<string, GeneratorAdapter>> = {
  wrk: wrk(),
  hey: hey(),
  oha: oha(),
  k6: k6(),
  locust: locust(),
};
const names = Object.keys(generators);

let server: KnownServer;
afterEach(() => server.stop());

async function seen(name: string, resumption: boolean) {
  server = await knownServer("ok", { resumption });
  const generator = generators[name] as GeneratorAdapter;
  const { result } = await send(generator, load, { scheme: "https", port: server.port });
  const truth = await server.truth();
  return { result, truth, tlsTps: tlsTpsFrom(result, truth, generator) };
}

/** Judged as a run is, had verification found nothing: the counters alone must tell. */
function tlsTpsFrom(result: LoadResult, truth: Truth, { reports }: GeneratorAdapter): number | undefined {
  const { requests, connections: opened, resumed } = truth;
  return tlsTpsOf({
    ...{ asked: load, result, scenario, hosts: [], purpose: "ceiling", isBaseline: true, workers: 1 },
    counters: { upstream: { requests, connections: opened, handshakes: opened - resumed, resumptions: resumed } },
    resumptionRefused: true,
    emptyConnections: reports.emptyConnections,
  });
}

test.each(names)("%s: where nothing is resumed, transactions are the server's full handshakes", async (name) => {
  const { result, truth, tlsTps } = await seen(name, false);
  const looks = generators[name]?.reports.emptyConnections ?? 0;
  expect(truth.resumed).toBe(0);
  expect(result.responses).toBeGreaterThan(100);
  expect(Math.abs(truth.connections - result.responses)).toBeLessThanOrEqual(connections + looks);
  expect(tlsTps).toBeCloseTo(result.responses / result.durationS, 6);
});

test.each(names)("%s: where the server resumes, no resumed handshake counts as a transaction", async (name) => {
  const { result, truth, tlsTps } = await seen(name, true);
  if (truth.resumed > 0) expect(tlsTps).toBeUndefined();
  else expect(tlsTps).toBeCloseTo(result.responses / result.durationS, 6);
});

test("some tools resume where they can, and the server's count is what tells", async () => {
  const { truth } = await seen("oha", true);
  expect(truth.resumed).toBeGreaterThan(0.9 * truth.connections);
});
