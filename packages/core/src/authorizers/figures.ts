import type { QueriedFigure } from "../contract";

/** A mean over the run. What `increase` adds at its edges is the same above and below the line. */
const mean = (histogram: string): string =>
  `sum(increase(${histogram}_sum{$authorizer}[$window])) / sum(increase(${histogram}_count{$authorizer}[$window]))`;

const duration = "ext_authz_request_duration_seconds";
const verification = "ext_authz_jwt_verify_duration_seconds";
const lookUp = "ext_authz_redis_lookup_duration_seconds";
const requests = "ext_authz_requests_total{$authorizer}";
const allowed = 'ext_authz_requests_total{$authorizer,result="allow"}';

const p99 = (name: string, histogram: string): QueriedFigure => ({
  ...{ name, unit: "s", kind: "histogram-quantile", quantile: 0.99 },
  query: `${histogram}_bucket{$authorizer}`,
});
const meanOf = (name: string, histogram: string): QueriedFigure => ({
  ...{ name, unit: "s", kind: "gauge" },
  query: mean(histogram),
});

/**
 * Those of the published test, by its own metrics: how long a decision takes and which part of it, how many pass, what
 * it costs, and what failed. Buckets are ten to a decade, so a percentile is off by 28 % at most.
 */
export const figures: readonly QueriedFigure[] = [
  { name: "authorizer-requests", unit: "requests", kind: "counter", query: requests },
  { name: "authorizer-rps", unit: "requests/s", kind: "counter", perSecond: true, query: requests },
  {
    ...{ name: "authorizer-allowed", unit: "fraction", kind: "gauge" },
    query: `sum(increase(${allowed}[$window])) / sum(increase(${requests}[$window]))`,
  },
  p99("authorizer-p99", duration),
  meanOf("authorizer-mean", duration),
  p99("authorizer-jwt-p99", verification),
  meanOf("authorizer-jwt-mean", verification),
  p99("authorizer-redis-p99", lookUp),
  meanOf("authorizer-redis-mean", lookUp),
  {
    ...{ name: "authorizer-redis-errors", unit: "errors/s", kind: "counter", perSecond: true },
    query: 'ext_authz_errors_total{$authorizer,type="redis"}',
  },
  {
    // Seconds of waiting in each second: above 1, more than one look-up waits at any time.
    ...{ name: "authorizer-pool-wait", unit: "s/s", kind: "counter", perSecond: true },
    query: "ext_authz_redis_pool_wait_seconds_total{$authorizer}",
  },
  {
    ...{ name: "authorizer-in-flight", unit: "requests", kind: "gauge", take: "max" },
    query: "ext_authz_requests_in_flight{$authorizer}",
  },
  {
    ...{ name: "authorizer-cpu", unit: "cores", kind: "counter", perSecond: true },
    query: "process_cpu_seconds_total{$authorizer}",
  },
  {
    ...{ name: "authorizer-memory", unit: "bytes", kind: "gauge", take: "max" },
    query: "process_resident_memory_bytes{$authorizer}",
  },
];
