import type { GatewaySite, Manifest, RateLimit, ResolvedScenario } from "@gatebench/core/contract";
import { rateOf } from "../nginx/rate";
import { keyName } from "../requests";
import { ingressClass, metadata, secret } from "./names";

/** What is enforced, and the Secrets that it needs. */
export function policies(scenario: ResolvedScenario, site: GatewaySite): readonly Manifest[] {
  return [...authPolicies(scenario, site), ...limitPolicies(scenario)];
}

/** Names of what is enforced on a route, counted from 1. */
export function policiesOf({ auth, rateLimit }: ResolvedScenario, route: number): readonly string[] {
  const limits = rateLimit ? [rateLimit.scope === "route" ? limitOfRoute(route) : "rate-limit"] : [];
  return [...(auth ? [auth] : []), ...limits];
}

const policy = (name: string, spec: object): Manifest => ({
  apiVersion: "k8s.nginx.org/v1",
  kind: "Policy",
  metadata: metadata(name),
  spec: { ingressClassName: ingressClass, ...spec },
});

function authPolicies({ auth }: ResolvedScenario, { consumers }: GatewaySite): readonly Manifest[] {
  if (auth === "key") {
    const keys = Object.fromEntries(consumers.map(({ name, key }) => [name, key]));
    const spec = { apiKey: { suppliedIn: { header: [keyName] }, clientSecret: "keys" } };
    return [secret("keys", "nginx.org/apikey", keys), policy("key", spec)];
  }
  if (auth === "basic") {
    const htpasswd = consumers.map((consumer) => `${consumer.htpasswd}\n`).join("");
    const spec = { basicAuth: { realm: "gatebench", secret: "htpasswd" } };
    return [secret("htpasswd", "nginx.org/htpasswd", { htpasswd }), policy("basic", spec)];
  }
  return [];
}

/** Routes that share a policy share its counts: where each has a limit of its own, each has a policy of its own. */
function limitPolicies({ rateLimit, routes, auth }: ResolvedScenario): readonly Manifest[] {
  if (!rateLimit) return [];
  const spec = { rateLimit: limit(rateLimit, auth) };
  const names =
    rateLimit.scope === "route"
      ? Array.from({ length: routes }, (_, index) => limitOfRoute(index + 1))
      : ["rate-limit"];
  return names.map((name) => policy(name, spec));
}

const limitOfRoute = (route: number) => `rate-limit-${route}`;

/** The bucket holds what one period allows: less would reject a client below its limit that sends in clusters. */
const limit = (rateLimit: RateLimit, auth: ResolvedScenario["auth"]) => ({
  rate: rateOf("nginx-ingress-controller", rateLimit),
  key: limitKey(rateLimit, auth),
  zoneSize: "10M",
  ...(rateLimit.requests > 1 ? { burst: rateLimit.requests - 1 } : {}),
  noDelay: true,
  rejectCode: 429,
});

/** A consumer is known by its credential; the limiter stands before auth, so a wrong one has a bucket of its own. */
function limitKey({ scope }: RateLimit, auth: ResolvedScenario["auth"]): string {
  const consumer = auth === "basic" ? "${http_authorization}" : `\${http_${keyName}}`;
  return { gateway: "gateway", route: "route", consumer, client: "${binary_remote_addr}" }[scope];
}
