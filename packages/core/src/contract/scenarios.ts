import { fault, listed, type Fault } from "./fault";
import type { Load } from "./load";
import type { Scenario } from "./scenario";

/** A scenario people ask for by name, and the connections it is about. */
export interface NamedScenario {
  readonly scenario: Scenario;
  readonly connection: NonNullable<Load["connection"]>;
  /** One sentence for lists. */
  readonly about: string;
}

/** So high that it never refuses: what is measured is the price of counting. */
const generousLimit = { requests: 1_000_000, per: "1s", scope: "gateway", store: "local" } as const;

function kept(about: string, scenario: Scenario): NamedScenario {
  return { scenario, connection: "keep-alive", about };
}

const all: readonly NamedScenario[] = [
  kept("proxies, and nothing else", { name: "plain" }),
  kept("a key in a header", { name: "key-auth", auth: "key" }),
  kept("a user and password", { name: "basic-auth", auth: "basic" }),
  kept("a local rate limit that never refuses", { name: "rate-limit", rateLimit: generousLimit }),
  kept("key and rate limit together", { name: "key-auth-rate-limit", auth: "key", rateLimit: generousLimit }),
  kept("user, password and rate limit together", {
    name: "basic-auth-rate-limit",
    auth: "basic",
    rateLimit: generousLimit,
  }),
  kept("100 routes and consumers with keys and a rate limit", {
    name: "routes-100",
    routes: 100,
    consumers: 100,
    auth: "key",
    rateLimit: generousLimit,
  }),
  kept("two upstreams in turn", { name: "round-robin", balancing: "round-robin", upstream: { count: 2 } }),
  kept("two upstreams, the less busy first", {
    name: "least-connections",
    balancing: "least-connections",
    upstream: { count: 2 },
  }),
  kept("TLS, connections kept", { name: "https", scheme: "https" }),
  {
    scenario: { name: "tls-transactions", scheme: "https", upstream: { responseBytes: 0 } },
    connection: "per-request",
    about: "TLS transactions: a full handshake and one empty response per connection",
  },
];

/** Scenarios by name. */
export const scenarios: Readonly<Record<string, NamedScenario>> = Object.fromEntries(
  all.map((named) => [named.scenario.name, named]),
);

/** The scenario of that name, or why there is none. */
export function scenarioNamed(name: string): NamedScenario | Fault {
  return (
    (Object.hasOwn(scenarios, name) ? scenarios[name] : undefined) ??
    fault("unknown-scenario", `"${name}" is not a scenario. Known: ${listed(Object.keys(scenarios))}.`)
  );
}

/** Tells a fault from what was looked for. */
export function isFault(found: object): found is Fault {
  return "code" in found && "message" in found;
}
