import {
  fault,
  FaultError,
  secondsOf,
  type Consumer,
  type GatewaySite,
  type RateLimit,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { keyName } from "../requests";
import { extension, typedConfig, type ExtensionName } from "./typed";

const filter: ExtensionName = "envoy.filters.http.local_ratelimit";

/** The limiter in the chain; where each route has its own limit, only its place. */
export function limitFilters({ rateLimit, ...scenario }: ResolvedScenario, site: GatewaySite) {
  if (!rateLimit) return [];
  const scopes = {
    gateway: () => enforced(rateLimit),
    route: () => ({ stat_prefix: "limit" }),
    consumer: () => ({ ...enforced(rateLimit), ...perConsumer(rateLimit, scenario, site) }),
    client: () => ({ ...enforced(rateLimit), ...perClient(rateLimit) }),
  };
  return [extension(filter, scopes[rateLimit.scope]())];
}

/** A route's own bucket, where the scenario limits routes. */
export function limitOfRoute({ rateLimit }: ResolvedScenario) {
  return rateLimit?.scope === "route"
    ? { typed_per_filter_config: { [filter]: typedConfig(filter, enforced(rateLimit)) } }
    : {};
}

/** Both switches are at 0 % by default: the limiter would count and let everything pass. */
const enforced = (limit: RateLimit) => ({
  stat_prefix: "limit",
  token_bucket: bucket(limit),
  filter_enabled: { default_value: { numerator: 100, denominator: "HUNDRED" } },
  filter_enforced: { default_value: { numerator: 100, denominator: "HUNDRED" } },
});

/** The bucket holds what one period allows: less would reject a client below its limit that sends in clusters. */
function bucket({ requests, per }: RateLimit) {
  if (secondsOf(per) < 0.05) throw new FaultError([tooShort({ requests, per })]);
  return { max_tokens: requests, tokens_per_fill: requests, fill_interval: `${secondsOf(per)}s` };
}

const tooShort = ({ requests, per }: Pick<RateLimit, "requests" | "per">) =>
  fault(
    "unsupported-policy",
    `envoy cannot limit to ${requests} requests per ${per}: it fills its buckets every 50ms at most. Choose a longer period, or leave envoy out of this row of the matrix.`,
  );

/** One bucket for each consumer, known by the credential that the filter before has accepted. */
function perConsumer(limit: RateLimit, scenario: Pick<ResolvedScenario, "auth" | "credential">, site: GatewaySite) {
  const { header, valueOf } = credentialHeader(scenario);
  return {
    always_consume_default_token_bucket: false,
    rate_limits: [{ actions: [{ request_headers: { header_name: header, descriptor_key: "consumer" } }] }],
    descriptors: site.consumers.map((consumer) => ({
      entries: [{ key: "consumer", value: valueOf(consumer) }],
      token_bucket: bucket(limit),
    })),
  };
}

function credentialHeader({ auth, credential }: Pick<ResolvedScenario, "auth" | "credential">) {
  if (auth === "basic") {
    return { header: "authorization", valueOf: ({ basicCredentials }: Consumer) => `Basic ${basicCredentials}` };
  }
  // What came in a cookie stands in the header by then.
  if (auth === "external") return { header: "authorization", valueOf: ({ jwt }: Consumer) => `Bearer ${jwt}` };
  return credential === "cookie"
    ? { header: "cookie", valueOf: ({ key }: Consumer) => `${keyName}=${key}` }
    : { header: keyName, valueOf: ({ key }: Consumer) => key };
}

/** One bucket for each address that comes; no value stands there, so each new one gets its own. */
const perClient = (limit: RateLimit) => ({
  always_consume_default_token_bucket: false,
  rate_limits: [{ actions: [{ remote_address: {} }] }],
  descriptors: [{ entries: [{ key: "remote_address" }], token_bucket: bucket(limit) }],
  // Beyond so many addresses the oldest loses its bucket and starts afresh. Envoy's default is 20.
  max_dynamic_descriptors: 10_000,
});
