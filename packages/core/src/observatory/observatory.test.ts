/** What is written for Prometheus and Grafana; `golden/` has it as they read it, and UPDATE_GOLDEN=1 writes it anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { QueriedFigure } from "../contract";
import { promqlErrorAt } from "../contract/promql";
import { dashboards, grafana, hostFigures, nodeExporter, prometheus, prometheusConfig, type ScrapeJob } from ".";

const requests = 'requests_total{$gateway,code="200"}';
const figures: readonly QueriedFigure[] = [
  { name: "gateway-requests", unit: "requests", kind: "counter", query: requests },
  { name: "gateway-rps", unit: "requests/s", kind: "counter", perSecond: true, query: requests },
  { name: "gateway-memory", unit: "bytes", kind: "gauge", take: "max", query: "memory_bytes{$gateway}" },
  {
    name: "gateway-p99",
    unit: "ms",
    kind: "histogram-quantile",
    quantile: 0.99,
    query: "duration_ms_bucket{$gateway}",
  },
  {
    name: "failed-share",
    unit: "",
    kind: "gauge",
    query: "sum(increase(failed_total{$gateway}[$window])) / sum(increase(requests_total{$gateway}[$window]))",
  },
];

const jobs: readonly ScrapeJob[] = [
  {
    job: "gateway-envoy",
    role: "gateway",
    targets: [{ host: "gateway", address: "10.0.0.2", port: 8002, path: "/stats/prometheus" }],
  },
  {
    job: "upstream-upstream",
    role: "upstream",
    targets: [9001, 9003].map((port) => ({ host: "upstream", address: "10.0.0.3", port, path: "/metrics" })),
  },
  {
    job: "host-gateway",
    role: "host",
    targets: [{ host: "gateway", address: "10.0.0.2", port: 9100, path: "/metrics" }],
  },
];
const shown = [
  { role: "gateway", hosts: ["gateway"], figures, isScraped: true },
  { role: "upstream", hosts: ["upstream"], figures: [], isScraped: false },
  { role: "generator", hosts: ["generator", "worker-1"], figures: [], isScraped: false },
] as const;
const drawn = dashboards(shown);
const grafanaFiles = grafana(3000, "http://10.0.0.4:9090", drawn).files as Readonly<Record<string, string>>;

const golden: Readonly<Record<string, string>> = {
  "prometheus.yaml": prometheusConfig(1.5, jobs),
  ...Object.fromEntries(Object.entries(grafanaFiles).map(([path, text]) => [path.replaceAll("/", "-"), text])),
};

test.each(Object.entries(golden))("%s stands word for word in golden/", (name, text) => {
  const path = join(__dirname, "golden", name);
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
});

test("every job is scraped on every page of its own, as often as asked", () => {
  const { global, scrape_configs: configs } = parse(prometheusConfig(1.5, jobs)) as {
    global: object;
    scrape_configs: readonly { job_name: string; static_configs: readonly { targets: readonly string[] }[] }[];
  };
  expect(global).toEqual({ scrape_interval: "1500ms", scrape_timeout: "1500ms" });
  expect(configs.map((one) => [one.job_name, one.static_configs.flatMap(({ targets }) => targets)])).toEqual([
    ["gateway-envoy", ["10.0.0.2:8002"]],
    ["upstream-upstream", ["10.0.0.3:9001", "10.0.0.3:9003"]],
    ["host-gateway", ["10.0.0.2:9100"]],
  ]);
});

const asked = drawn.flatMap(({ name, panels }) =>
  panels.map(({ title, query }) => [`${name}: ${title}`, query] as const),
);
test.each(asked)("the panel %s asks PromQL and leaves no placeholder open", (_, query) => {
  const filled = query.replaceAll("$__rate_interval", "15s");
  expect([promqlErrorAt(filled), filled.includes("$")]).toEqual([undefined, false]);
});

test("there is a dashboard for each role and one for the machines, each panel with a place of its own", () => {
  expect(drawn.map(({ name }) => name)).toEqual(["gateway", "upstream", "generator", "hosts"]);
  for (const { name } of drawn) {
    const { panels } = JSON.parse(grafanaFiles[`dashboards/${name}.json`] as string) as {
      panels: readonly { gridPos: object }[];
    };
    expect(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size).toBe(panels.length);
  }
});

test("a count and its rate are one chart; what nothing scrapes has no panel", () => {
  expect(drawn.map(({ panels }) => panels.map(({ title }) => title)).slice(0, 3)).toEqual([
    [
      "gateway-rps",
      "gateway-memory",
      "gateway-p99",
      "failed-share",
      "CPU of its hosts",
      "Answers scrapes",
      "Time a scrape takes",
    ],
    ["CPU of its hosts"],
    ["CPU of its hosts"],
  ]);
});

test("nothing that is started is unpinned, listens elsewhere than asked, or has a secret in its text", () => {
  const started = [prometheus("", 9090), nodeExporter(9100), grafana(3000, "http://10.0.0.4:9090", drawn)];
  for (const { image, role } of started)
    expect([image, role]).toEqual([expect.stringMatching(/:v?\d+\.\d+\.\d+$/), "observer"]);
  expect(started.map(({ ports, readiness }) => [Object.values(ports), readiness?.port])).toEqual([
    [[9090], 9090],
    [[9100], 9100],
    [[3000], 3000],
  ]);
  expect(started[2]?.env?.GF_SECURITY_ADMIN_PASSWORD).toBe("<gatebench:grafana.password>");
});

test("figures of a machine are PromQL of its own exporter alone", () => {
  for (const { query, name } of hostFigures("gateway", "host-gateway")) {
    expect(promqlErrorAt(query.replace("$window", "10s"))).toBeUndefined();
    expect([name, query.match(/job="host-gateway"/g)?.length]).toEqual([name, query.match(/\{/g)?.length]);
  }
});
