import type { Consumer, GatewaySite, RequestSpec, ResolvedScenario } from "@gatebench/core/contract";

/** The header or cookie that carries a consumer's key, the same for every gateway. */
export const keyName = "apikey";

/** The prefix of a route, counted from 1. It ends in a slash, so that route 1 does not also take the traffic of route 10. */
export const routePath = (route: number): string => `/route-${route}/`;

/** Prefixes of all the scenario's routes. Every gateway strips them: `/route-7/echo` reaches the upstream as `/echo`. */
export const routePaths = ({ routes }: Pick<ResolvedScenario, "routes">): readonly string[] =>
  Array.from({ length: routes }, (_, index) => routePath(index + 1));

/** A route, counted from 1, and the consumer that sends to it, where requests have one. */
export interface Pair {
  readonly route: number;
  readonly consumer?: Consumer;
}

/**
 * Who sends where: route 1 with consumer 1, route 2 with consumer 2, and so on until each of both has had its
 * turn; the shorter list begins again. 100 routes and 100 consumers are therefore 100 pairs, not 10,000.
 */
export function pairsOf(
  { routes, auth }: Pick<ResolvedScenario, "routes" | "auth">,
  { consumers }: GatewaySite,
): readonly Pair[] {
  return Array.from({ length: Math.max(routes, auth ? consumers.length : 0) }, (_, index) => {
    const consumer = consumers[index % consumers.length];
    return { route: (index % routes) + 1, ...(consumer ? { consumer } : {}) };
  });
}

/** What a generator sends to the scenario's routes. */
export const requestsOf = (scenario: ResolvedScenario, site: GatewaySite): readonly RequestSpec[] =>
  requestsTo(routePaths(scenario), scenario, site);

/** The same to paths of a gateway's own. */
export function requestsTo(
  paths: readonly string[],
  scenario: ResolvedScenario,
  site: GatewaySite,
): readonly RequestSpec[] {
  const pairs = pairsOf({ routes: paths.length, auth: scenario.auth }, site);
  return pairs.map(({ route, consumer }) => requestTo(paths[route - 1] as string, scenario, consumer));
}

/** The scenario's request to a path, with the credential of a consumer where the scenario asks for one. */
export function requestTo(path: string, scenario: ResolvedScenario, consumer?: Consumer): RequestSpec {
  const { method, headers, body } = scenario.request;
  const credentials = consumer ? credentialsOf(consumer, scenario) : {};
  return {
    method,
    path,
    headers: { ...headers, ...credentials },
    ...(body === undefined ? {} : { body }),
    expect: 200,
  };
}

/** The cookie that carries a token where the scenario puts it there; that of the published test of Istio. */
export const tokenCookie = "s_access";

function credentialsOf(
  { key, basicCredentials, jwt }: Consumer,
  { auth, credential }: ResolvedScenario,
): Readonly<Record<string, string>> {
  if (auth === "basic") return { authorization: `Basic ${basicCredentials}` };
  if (auth === "key") return credential === "cookie" ? { cookie: `${keyName}=${key}` } : { [keyName]: key };
  if (auth === "external")
    return credential === "cookie" ? { cookie: `${tokenCookie}=${jwt}` } : { authorization: `Bearer ${jwt}` };
  return {};
}
