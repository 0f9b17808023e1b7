import type { CounterPage, Ports, QueriedFigure } from "@gatebench/core/contract";
import { server } from "./names";

const metric = (name: string, label = "") => `^${name}\\{[^}\\n]*${label}[^}\\n]*\\} (\\d+)$`;

/** The page has a listener of its own, so reading it adds nothing. */
export function counters({ entry, metrics }: Ports): readonly CounterPage[] {
  const http = `envoy_http_${server}_downstream`;
  const listener = `listener_address="0\\.0\\.0\\.0_${entry}"`;
  return [
    {
      port: metrics as number,
      path: metricsPath,
      values: {
        requests: metric(`${http}_rq_total`),
        connections: metric(`${http}_cx_total`),
        handshakes: metric("envoy_listener_ssl_handshake", listener),
        resumptions: metric("envoy_listener_ssl_session_reused", listener),
      },
      statuses: Object.fromEntries(
        [1, 2, 3, 4, 5].map((digit) => [`${digit}xx`, metric(`${http}_rq`, `response_code_class="${digit}xx"`)]),
      ),
    },
  ];
}

/** The agent in the gateway's pod collects Envoy's statistics there, with its own. */
export const metricsPath = "/stats/prometheus";

const requests = `envoy_http_${server}_downstream_rq_total{$gateway}`;

/** Istio's own histograms are too coarse for a P99 below 10 ms. */
export const figures: readonly QueriedFigure[] = [
  { name: "gateway-requests", unit: "requests", kind: "counter", query: requests },
  { name: "gateway-rps", unit: "requests/s", kind: "counter", perSecond: true, query: requests },
  {
    name: "gateway-memory",
    unit: "bytes",
    kind: "gauge",
    take: "max",
    query: "envoy_server_memory_physical_size{$gateway}",
  },
];
