import type { Address, GatewaySite, ResolvedScenario } from "@gatebench/core/contract";
import { keyName, routePath } from "../requests";
import { json } from "./json";
import { limitOfApi } from "./rate-limit";

/** An API for each route, as files of the classic format by path. */
export function apiDefinitions(scenario: ResolvedScenario, site: GatewaySite): Readonly<Record<string, string>> {
  const routes = Array.from({ length: scenario.routes }, (_, index) => index + 1);
  return Object.fromEntries(
    routes.map((route) => [`apps/${apiId(route)}.json`, json(apiDefinition(route, scenario, site))]),
  );
}

export const organisation = "default";
export const apiId = (route: number): string => `route-${route}`;

function apiDefinition(route: number, scenario: ResolvedScenario, site: GatewaySite) {
  return {
    name: apiId(route),
    api_id: apiId(route),
    org_id: organisation,
    active: true,
    definition: { location: "header", key: "x-api-version" },
    version_data: { not_versioned: true, versions: { Default: version } },
    ...auth(scenario),
    disable_rate_limit: scenario.rateLimit === undefined,
    ...limitOfApi(scenario),
    disable_quota: true,
    proxy: { ...proxied(route), ...targets(site.upstreams) },
  };
}

const version = {
  name: "Default",
  use_extended_paths: true,
  // The upstream sees the client's own headers and none of the gateway's, from every gateway.
  global_headers_remove: ["X-Forwarded-For"],
};

function auth({ auth: kind, credential }: ResolvedScenario) {
  if (kind === undefined) return { use_keyless: true };
  if (kind === "basic") return { use_keyless: false, use_basic_auth: true };
  const source =
    credential === "cookie"
      ? { disable_header: true, use_cookie: true, cookie_name: keyName }
      : { auth_header_name: keyName };
  return { use_keyless: false, use_standard_auth: true, auth_configs: { authToken: source } };
}

const proxied = (route: number) => ({
  listen_path: routePath(route),
  strip_listen_path: true,
  preserve_host_header: true,
});

function targets(upstreams: readonly Address[]) {
  const urls = upstreams.map(({ host, port }) => `http://${host}:${port}`);
  return urls.length > 1
    ? { target_url: urls[0], enable_load_balancing: true, target_list: urls }
    : { target_url: urls[0] };
}
