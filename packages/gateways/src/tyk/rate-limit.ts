import {
  fault,
  refuse,
  secondsOf,
  type Fault,
  type RateLimit,
  type RateLimitSupport,
  type ResolvedScenario,
} from "@gatebench/core/contract";

const scopes = ["gateway", "route", "consumer"] as const;

export const limiters: readonly RateLimitSupport[] = [
  { store: "local", scopes, algorithm: "distributed rate limiter" },
  { store: "redis", scopes, algorithm: "fixed window" },
];

/** With one gateway, Tyk's own limiter counts in memory and asks nobody. */
export const limiterOf = ({ rateLimit }: ResolvedScenario) => ({
  enable_fixed_window_rate_limiter: rateLimit?.store === "redis",
});

/** The limit that an API's definition holds: whoever calls is counted. */
export const limitOfApi = ({ rateLimit, auth }: Pick<ResolvedScenario, "rateLimit" | "auth">) =>
  rateLimit && holder(rateLimit, auth) === "api"
    ? { global_rate_limit: { ...rateOf(rateLimit), disabled: false } }
    : {};

/** The limit that a key holds. A pattern without variables is one counter for all keys and all routes. */
export function limitOfKey({ rateLimit, auth }: Pick<ResolvedScenario, "rateLimit" | "auth">) {
  if (!rateLimit || holder(rateLimit, auth) === "api") return {};
  const shared = rateLimit.scope === "gateway" ? { meta_data: { rate_limit_pattern: "gateway" } } : {};
  return { ...rateOf(rateLimit), ...shared };
}

function holder({ scope }: RateLimit, auth: ResolvedScenario["auth"]): "api" | "key" {
  return scope === "route" || auth === undefined ? "api" : "key";
}

const rateOf = ({ requests, per }: RateLimit) => ({ rate: requests, per: secondsOf(per) });

/** What the list of limiters cannot say: APIs share no counter, and in memory periods are whole seconds. */
export function refuseLimit({ rateLimit, auth, routes }: ResolvedScenario): void {
  if (!rateLimit) return;
  const faults: (Fault | false)[] = [
    rateLimit.scope === "gateway" && auth === undefined && routes > 1 && notShared(routes),
    rateLimit.store === "local" && !Number.isInteger(secondsOf(rateLimit.per)) && notWhole(rateLimit),
  ];
  refuse(faults.filter((one) => one !== false));
}

const notShared = (routes: number) =>
  fault(
    "unsupported-policy",
    `tyk cannot count ${routes} routes against one limit without auth: each is an API of its own, and what they share is counted by key. Add auth, limit each route, or leave tyk out of this row of the matrix.`,
  );

const notWhole = ({ requests, per }: RateLimit) =>
  fault(
    "unsupported-policy",
    `tyk cannot limit to ${requests} requests per ${per} in memory: it counts whole seconds. Choose such a period, the store redis, or leave tyk out of this row of the matrix.`,
  );
