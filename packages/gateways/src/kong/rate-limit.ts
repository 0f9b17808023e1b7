import {
  addressOf,
  fault,
  FaultError,
  gatewaySecret,
  secondsOf,
  type GatewaySite,
  type RateLimit,
  type ResolvedScenario,
} from "@gatebench/core/contract";

/** The limiter for everything that enters; none where each route has its own. */
export function limitOfGateway({ rateLimit }: ResolvedScenario, site: GatewaySite): readonly object[] {
  return rateLimit && rateLimit.scope !== "route" ? [limiter(rateLimit, site)] : [];
}

/** A route's own limiter, where the scenario limits routes. */
export function limitOfRoute({ rateLimit }: ResolvedScenario, site: GatewaySite): { plugins?: readonly object[] } {
  return rateLimit?.scope === "route" ? { plugins: [limiter(rateLimit, site)] } : {};
}

function limiter(limit: RateLimit, site: GatewaySite) {
  return {
    name: "rate-limiting",
    config: {
      [windowOf(limit)]: limit.requests,
      limit_by: countedBy[limit.scope],
      policy: limit.store,
      // A limit that nobody keeps any more would be measured as a fast gateway; an error is seen.
      fault_tolerant: false,
      // No headers of the gateway's own in answers, from every gateway.
      hide_client_headers: true,
      ...(limit.store === "redis" ? { redis: redisOf(site) } : {}),
    },
  };
}

/** There is one service, so what is counted for it is counted for the gateway, or for the route the limiter stands at. */
const countedBy = { gateway: "service", route: "service", consumer: "consumer", client: "ip" } as const;

/** By default each request waits for its own count (`sync_rate` -1). */
const redisOf = ({ ports }: GatewaySite) => ({ host: addressOf("redis"), port: ports.redis, password: gatewaySecret });

/** Kong's months and years follow the calendar, so no length of time is one of them. */
const windows: Readonly<Record<number, string>> = { 1: "second", 60: "minute", 3600: "hour", 86_400: "day" };

/** Kong counts in windows of the clock; anything between would be another limit than the one asked for. */
function windowOf({ requests, per }: RateLimit): string {
  const window = windows[secondsOf(per)];
  if (window !== undefined) return window;
  throw new FaultError([
    fault(
      "unsupported-policy",
      `kong cannot limit to ${requests} requests per ${per}: its windows are 1s, 1m, 1h and 24h. Choose one of these, or leave kong out of this row of the matrix.`,
    ),
  ]);
}
