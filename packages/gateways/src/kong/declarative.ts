import type { Address, Consumer, GatewaySite, ResolvedScenario } from "@gatebench/core/contract";
import { keyName, routePaths } from "../requests";
import { yamlText } from "../yaml-text";
import { limitOfGateway, limitOfRoute } from "./rate-limit";

/** The whole kong.yaml: Kong's entities in its declarative format. */
export function declarative(scenario: ResolvedScenario, site: GatewaySite): string {
  return yamlText({
    _format_version: "3.0",
    // Kong keeps passwords as hashes, and makes these from the plain ones that stand here.
    _transform: true,
    services: [service(scenario, site)],
    upstreams: [upstream(scenario, site)],
    ...(scenario.auth ? { consumers: site.consumers.map((consumer) => consumerOf(consumer, scenario)) } : {}),
    plugins: [...authPlugins(scenario), ...limitOfGateway(scenario, site)],
  });
}

/** Its host is the name of the upstream entity, which Kong's ingress controller renders for a single upstream too. */
function service(scenario: ResolvedScenario, site: GatewaySite) {
  return {
    name: "upstreams",
    host: "upstreams",
    // No gateway tries again: a second attempt would hide a failure and count twice upstream.
    retries: 0,
    routes: routePaths(scenario).map((path, index) => ({
      name: `route-${index + 1}`,
      paths: [path],
      strip_path: true,
      // The upstream sees the client's own Host, from every gateway.
      preserve_host: true,
      ...limitOfRoute(scenario, site),
    })),
  };
}

/** Health checks are off by default: no gateway takes an upstream out. */
function upstream({ balancing }: ResolvedScenario, { upstreams }: GatewaySite) {
  return { name: "upstreams", algorithm: balancing, targets: upstreams.map(target) };
}

const target = ({ host, port }: Address) => ({ target: `${host}:${port}` });

function consumerOf({ name, key, username, password }: Consumer, { auth }: ResolvedScenario) {
  return auth === "key"
    ? { username: name, keyauth_credentials: [{ key }] }
    : { username: name, basicauth_credentials: [{ username, password }] };
}

function authPlugins({ auth }: ResolvedScenario): readonly object[] {
  if (auth === "key") {
    // Looked for in the header only: other gateways do not look into the query.
    return [{ name: "key-auth", config: { key_names: [keyName], key_in_query: false } }];
  }
  return auth === "basic" ? [{ name: "basic-auth" }] : [];
}
