import { fault, FaultError, secondsOf, type GatewaySite, type ResolvedScenario } from "@gatebench/core/contract";
import { limitFilters, limitOfRoute } from "../envoy/rate-limit";
import { extension } from "../envoy/typed";
import { tokenFromCookie } from "./authorization";
import { labels, resource, upstreamsHost } from "./names";
import { noResumption } from "./tls";

/** What Istio has no word of its own for, and says to Envoy as it is. */
export function envoyFilters(scenario: ResolvedScenario, site: GatewaySite) {
  const port = site.ports.entry as number;
  const { scheme, tls, auth, credential, rateLimit, balancing, upstream } = scenario;
  return [
    scheme === "https" && !tls.resumption && envoyFilter("no-resumption", noResumption(port)),
    auth === "external" && credential === "cookie" && envoyFilter("token-from-cookie", tokenFromCookie(port)),
    rateLimit && envoyFilter("rate-limit", ...limiter(scenario, site)),
    balancing === "least-connections" && upstream.count > 1 && envoyFilter("least-connections", leastOfAll),
  ].filter((one) => one !== false && one !== undefined);
}

const envoyFilter = (name: string, ...configPatches: readonly object[]) =>
  resource("networking.istio.io/v1alpha3", "EnvoyFilter", name, { workloadSelector: { labels }, configPatches });

/** Before the router, which is behind authorization: a refused request takes nothing from anybody's limit. */
function limiter(scenario: ResolvedScenario, site: GatewaySite) {
  refuseShort(scenario);
  const filters = limitFilters(scenario, site).map((value) => ({
    applyTo: "HTTP_FILTER",
    match: { context: "GATEWAY", listener: { portNumber: site.ports.entry, filterChain: { filter: beforeRouter } } },
    patch: { operation: "INSERT_BEFORE", value },
  }));
  return scenario.rateLimit?.scope === "route" ? [...filters, ownOfEachRoute(scenario)] : filters;
}

const beforeRouter = {
  name: "envoy.filters.network.http_connection_manager",
  subFilter: { name: "envoy.filters.http.router" },
};

/** The same text in each route is a bucket in each. */
const ownOfEachRoute = (scenario: ResolvedScenario) => ({
  applyTo: "HTTP_ROUTE",
  match: { context: "GATEWAY", routeConfiguration: { vhost: { route: { action: "ROUTE" } } } },
  patch: { operation: "MERGE", value: limitOfRoute(scenario) },
});

function refuseShort({ rateLimit }: ResolvedScenario): void {
  if (!rateLimit || secondsOf(rateLimit.per) >= 0.05) return;
  throw new FaultError([
    fault(
      "unsupported-policy",
      `istio cannot limit to ${rateLimit.requests} requests per ${rateLimit.per}: its Envoy fills buckets every 50ms at most. Choose a longer period, or leave istio out of this row of the matrix.`,
    ),
  ]);
}

/** Istio's LEAST_REQUEST compares two upstreams picked at random; all of them is what the scenario asks for. */
const leastOfAll = {
  applyTo: "CLUSTER",
  match: { context: "GATEWAY", cluster: { service: upstreamsHost } },
  patch: {
    operation: "MERGE",
    value: {
      load_balancing_policy: {
        policies: [
          {
            typed_extension_config: extension("envoy.load_balancing_policies.least_request", {
              selection_method: "FULL_SCAN",
            }),
          },
        ],
      },
    },
  },
};
