/** What the agent asks Prometheus after a run, against one that answers what it is told to. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueriedFigure } from "../../contract";
import type { AskedFigure, JobOrder, ObservatoryOrder } from "../job-record";
import { figuresOver, idleScrape } from "./figures";

const folder = mkdtempSync(join(tmpdir(), "gatebench-figures-"));
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A run of ten seconds that ended a moment ago, at no whole millisecond. */
const nowMs = Date.now() + 0.4567;
const run = { startMs: nowMs - 12_000, endMs: nowMs - 2000 };

interface Asked {
  readonly path: string;
  readonly query: string;
  readonly parameters: Readonly<Record<string, string>>;
}
type Answers = (
  asked: Asked,
) => { readonly result?: unknown; readonly type?: string; readonly error?: string } | undefined;

/** Scraped each second, a little after the second. */
const scraped = (value: (s: number) => number, labels: object = {}) => ({
  metric: labels,
  values: Array.from({ length: 17 }, (_, index) => [
    run.startMs / 1000 - 3 + index + 0.25,
    `${value(index - 3 + 0.25)}`,
  ]),
});
const requests = scraped((s) => 100 * Math.min(10, Math.max(0, s)), { __name__: "requests_total" });

/** What Prometheus says of itself and of its targets when all is well. */
function ordinary({ query }: Asked, clockMs: number): ReturnType<Answers> {
  if (query === "time()") return { type: "scalar", result: [clockMs / 1000, `${clockMs / 1000}`] };
  if (query.startsWith("min(timestamp(up))"))
    return { type: "vector", result: [{ metric: {}, value: [0, `${clockMs / 1000 + 1}`] }] };
  if (query.startsWith("process_start_time_seconds"))
    return { type: "matrix", result: [scraped(() => nowMs / 1000 - 900)] };
  return query.startsWith("up{") ? { type: "matrix", result: [scraped(() => 1)] } : undefined;
}

async function prometheus(
  answers: Answers = () => undefined,
  aheadMs = 0,
): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://prometheus");
    const parameters = Object.fromEntries(searchParams);
    const one = { path: pathname, query: parameters.query as string, parameters };
    asked.push(one);
    const said = answers(one) ?? ordinary(one, Date.now() + aheadMs) ?? { type: "matrix", result: [requests] };
    if (said.error !== undefined) response.statusCode = 400;
    response.end(
      JSON.stringify(
        said.error === undefined
          ? { status: "success", data: { resultType: said.type ?? "matrix", result: said.result } }
          : { status: "error", error: said.error },
      ),
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, asked };
}

const counter: QueriedFigure = {
  name: "requests",
  unit: "requests",
  kind: "counter",
  query: 'requests_total{job="gateway-envoy"}',
};
const asking = (...figures: readonly (QueriedFigure | AskedFigure)[]): readonly AskedFigure[] =>
  figures.map((one) => ("figure" in one ? one : { figure: one, jobs: ["gateway-envoy"] }));
const observatory = (port: number, ...figures: readonly (QueriedFigure | AskedFigure)[]): ObservatoryOrder => ({
  ...{ host: "127.0.0.1", port, scrapeIntervalS: 1, targets: 2, job: "observatory" },
  figures: asking(...figures),
});
const figuresOf = (order: ObservatoryOrder | undefined, mask = (text: string) => text) =>
  figuresOver({ place: "", folder, order: { observatory: order } as JobOrder, values: {}, mask }, run);

test("a counter is asked as it was scraped, from before the run until now, and stands with its query", async () => {
  const { port, asked } = await prometheus();
  expect(await figuresOf(observatory(port, counter))).toEqual([
    { name: "requests", unit: "requests", query: 'requests_total{job="gateway-envoy"}', value: 1000 },
  ]);
  const { path, query } = asked.find((one) => one.query.startsWith("requests_total")) as Asked;
  expect([path, query]).toEqual([
    "/api/v1/query",
    expect.stringMatching(/^requests_total\{job="gateway-envoy"\}\[1\d{4}ms\]$/),
  ]);
});

test("a gauge is asked at each scrape inside the run, or once at its end where it says over which time", async () => {
  const gauge = { name: "memory", unit: "bytes", kind: "gauge" } as const;
  const { port, asked } = await prometheus(({ query }) =>
    query.startsWith("avg") ? { result: [scraped(() => 7)] } : undefined,
  );
  const share = { ...gauge, name: "share", query: "avg(increase(a[$window]))" };
  const said = await figuresOf(observatory(port, { ...gauge, query: "avg(a)" }, share));
  expect(said).toEqual([
    { name: "memory", unit: "bytes", query: "avg(a)", value: 7 },
    { name: "share", unit: "bytes", query: "avg(increase(a[10000ms]))", value: 7 },
  ]);
  const [over, at] = ["avg(a)", "avg(increase(a[10000ms]))"].map(
    (query) => asked.find((one) => one.query === query) as Asked,
  );
  expect([over?.path, over?.parameters.step]).toEqual(["/api/v1/query_range", "1"]);
  expect(Number(over?.parameters.start)).toBeCloseTo(run.startMs / 1000 + 1, 1);
  expect([at?.path, Number(at?.parameters.time)]).toEqual(["/api/v1/query", expect.closeTo(run.endMs / 1000, 1)]);
});

test("the run is looked for where Prometheus' own clock has it", async () => {
  const aheadMs = 3_600_000;
  const shifted = {
    ...requests,
    values: requests.values.map(([at, value]) => [(at as number) + aheadMs / 1000, value]),
  };
  const later = (value: () => number) => ({
    result: [
      { ...scraped(value), values: scraped(value).values.map(([at, v]) => [(at as number) + aheadMs / 1000, v]) },
    ],
  });
  const { port } = await prometheus(({ query }) => {
    if (query.startsWith("requests_total")) return { result: [shifted] };
    return query.startsWith("up{") ? later(() => 1) : undefined;
  }, aheadMs);
  expect(await figuresOf(observatory(port, counter))).toMatchObject([{ value: 1000 }]);
});

test("what was answered stays beside the run's output, with its secrets masked", async () => {
  const { port } = await prometheus(({ query }) =>
    query.startsWith("requests_total")
      ? { result: [{ ...requests, metric: { __name__: "requests_total", key: "a-secret-key" } }] }
      : undefined,
  );
  await figuresOf(observatory(port, counter), (text) => text.replaceAll("a-secret-key", "***"));
  const text = readFileSync(join(folder, "figures.json"), "utf8");
  expect(text).not.toContain("a-secret-key");
  expect(JSON.parse(text)).toMatchObject({
    figures: [{ value: 1000 }],
    samples: { requests: [{ labels: { key: "***" } }] },
  });
});

describe("a figure is missing, and nothing fails,", () => {
  const missing = async (order: ObservatoryOrder) =>
    (await figuresOf(order))?.map((figure) => ("missing" in figure ? figure.missing : figure.value));

  test("where Prometheus is gone", async () => {
    const { port } = await prometheus();
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await missing(observatory(port, counter))).toEqual([
      `Prometheus does not answer: connect ECONNREFUSED 127.0.0.1:${port}`,
    ]);
  });
  test("where Prometheus refuses its query, and the others are told", async () => {
    const { port } = await prometheus(({ query }) =>
      query.startsWith("rate") ? { error: "expected type range vector" } : undefined,
    );
    const wrong: QueriedFigure = { name: "wrong", unit: "", kind: "gauge", query: "rate(a)" };
    expect(await missing(observatory(port, wrong, counter))).toEqual([
      "Prometheus refused the query: expected type range vector",
      1000,
    ]);
  });
  test("where something else answers in its place", async () => {
    const server = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    servers.push(server);
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await missing(observatory((server.address() as AddressInfo).port, counter))).toEqual([
      "Prometheus answered 200, and nothing that can be read",
    ]);
  });
  test("where its target was down", async () => {
    const { port } = await prometheus(({ query }) =>
      query.startsWith("up{") ? { result: [scraped((s) => (s > 4 ? 0 : 1))] } : undefined,
    );
    expect(await missing(observatory(port, counter))).toEqual(["gateway-envoy did not answer 7 of 12 scrapes"]);
  });
  test("where the run was shorter than a scrape: a range that ends before it begins is not asked for", async () => {
    const { port, asked } = await prometheus();
    const gauge: QueriedFigure = { name: "memory", unit: "bytes", kind: "gauge", query: "avg(a)" };
    const order = { ...observatory(port, gauge), scrapeIntervalS: 11 };
    expect(await missing(order)).toEqual(["the run lasted 10.0 s, less than two scrapes 11 s apart"]);
    expect(asked.filter(({ path }) => path.endsWith("query_range"))).toEqual([]);
  });
  test("where it cannot be asked of this run: it is not asked", async () => {
    const { port, asked } = await prometheus();
    const order = observatory(port, {
      figure: counter,
      jobs: [],
      missing: "gateway nginx exposes nothing to Prometheus",
    });
    expect(await missing(order)).toEqual(["gateway nginx exposes nothing to Prometheus"]);
    expect(asked.filter(({ query }) => query.startsWith("requests_total"))).toEqual([]);
  });
});

test("without an observatory there are no figures", async () => expect(await figuresOf(undefined)).toBeUndefined());

test("a run waits until everything was scraped once more, and not for ever", async () => {
  const never = await prometheus(({ query }) =>
    query.startsWith("min(") ? { type: "vector", result: [] } : undefined,
  );
  const since = Date.now();
  await idleScrape(observatory(never.port), 0.3);
  const waitedMs = Date.now() - since;
  expect([waitedMs >= 290, waitedMs < 2000]).toEqual([true, true]);
  const { port, asked } = await prometheus();
  await idleScrape(observatory(port));
  expect(asked.map(({ query }) => query)).toEqual(["time()", "min(timestamp(up)) and count(up) >= 2"]);
});
