import { stringify } from "yaml";
import { bindAddress, fileOf, folder, reference, type Workload } from "../contract";
import type { Dashboard, Panel } from "./dashboard";
import { grafanaImage } from "./images";

/** Drawn once with the other credentials, and kept secret like them. */
export const grafanaPassword = "grafana.password";
export const grafanaUser = "admin";

/** Grafana with Prometheus as its source and these dashboards in it; all else as it comes. */
export function grafana(port: number, prometheusUrl: string, dashboards: readonly Dashboard[]): Workload {
  return {
    name: "grafana",
    role: "observer",
    image: grafanaImage,
    // Where its packages and its image keep its web pages.
    command: ["grafana", "server", "--homepath=/usr/share/grafana"],
    env: {
      GF_PATHS_DATA: `${folder}/data`,
      GF_PATHS_LOGS: `${folder}/logs`,
      GF_PATHS_PLUGINS: `${folder}/plugins`,
      GF_PATHS_PROVISIONING: fileOf("provisioning"),
      GF_SERVER_HTTP_ADDR: bindAddress,
      GF_SERVER_HTTP_PORT: String(port),
      GF_SECURITY_ADMIN_USER: grafanaUser,
      GF_SECURITY_ADMIN_PASSWORD: reference(grafanaPassword),
      // Nothing it asks the internet belongs beside a measurement.
      GF_ANALYTICS_REPORTING_ENABLED: "false",
      GF_ANALYTICS_CHECK_FOR_UPDATES: "false",
      GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: "false",
      GF_LOG_LEVEL: "warn",
    },
    files: provisioning(prometheusUrl, dashboards),
    ports: { grafana: port },
    readiness: { port, path: "/api/health", within: "60s" },
  };
}

const sourceUid = "gatebench";

/** Grafana's own files by path: what to show, from where. */
export function provisioning(
  prometheusUrl: string,
  dashboards: readonly Dashboard[],
): Readonly<Record<string, string>> {
  const source = { name: "Prometheus", uid: sourceUid, type: "prometheus", url: prometheusUrl };
  const provider = { name: "gatebench", type: "file", options: { path: fileOf("dashboards") } };
  return {
    "provisioning/datasources/prometheus.yaml": stringify({
      apiVersion: 1,
      datasources: [{ ...source, access: "proxy", isDefault: true, editable: false }],
    }),
    "provisioning/dashboards/gatebench.yaml": stringify({ apiVersion: 1, providers: [provider] }),
    ...Object.fromEntries(dashboards.map((one) => [`dashboards/${one.name}.json`, dashboardJson(one)])),
  };
}

/** Panels of half the width, two in a row; the grid has 24 columns. */
const [width, height] = [12, 8];

function dashboardJson({ name, title, panels }: Dashboard): string {
  const dashboard = {
    uid: `gatebench-${name}`,
    ...{ title, tags: ["gatebench"], schemaVersion: 39, version: 1 },
    ...{ editable: true, refresh: "5s", timezone: "utc", time: { from: "now-15m", to: "now" } },
    panels: panels.map(panelJson),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function panelJson({ title, unit, query, legend }: Panel, index: number) {
  const datasource = { type: "prometheus", uid: sourceUid };
  return {
    id: index + 1,
    ...{ type: "timeseries", title, datasource },
    gridPos: { w: width, h: height, x: (index % 2) * width, y: Math.floor(index / 2) * height },
    fieldConfig: { defaults: { unit: grafanaUnits[unit] ?? `suffix: ${unit}`, min: 0 }, overrides: [] },
    targets: [{ refId: "A", datasource, expr: query, legendFormat: legend }],
  };
}

/** Where Grafana has a name of its own for a unit, it scales the axis. */
const grafanaUnits: Readonly<Record<string, string>> = {
  "": "none",
  ...{ s: "s", ms: "ms", bytes: "bytes", "bytes/s": "Bps", "requests/s": "reqps", cores: "none" },
};
