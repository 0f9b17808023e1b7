import type { QueriedFigure } from "@gatebench/core/contract";

/** The admin server counts under a name of its own, so scraping it adds nothing. */
const requests = 'envoy_http_downstream_rq_total{$gateway,envoy_http_conn_manager_prefix="gateway"}';

/**
 * What Envoy's own metrics are good for. Its histograms are not: they are brought up to date every five seconds, and
 * would tell of requests before the run.
 */
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
