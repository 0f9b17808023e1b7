import {
  gatewaySecret,
  type Consumer,
  type GatewaySite,
  type ResolvedScenario,
  type SetupRequest,
} from "@gatebench/core/contract";
import { pairsOf } from "../requests";
import { apiId, organisation } from "./api-definition";
import { limitOfKey } from "./rate-limit";

/**
 * A request for each consumer that creates its key, or its user, by Tyk's REST API.
 *
 * Tyk stores a key of ours under a name of its own and finds it by ours as well, so the value that is sent is known before.
 */
export function keyRequests(scenario: ResolvedScenario, site: GatewaySite): readonly SetupRequest[] {
  if (scenario.auth === undefined) return [];
  return site.consumers.map((consumer) => ({
    port: site.ports.control as number,
    scheme: scenario.scheme,
    method: "POST",
    path: `/tyk/keys/${scenario.auth === "basic" ? consumer.username : consumer.key}`,
    headers: { "x-tyk-authorization": gatewaySecret, "content-type": "application/json" },
    body: JSON.stringify(session(consumer, scenario, site)),
    expect: 200,
  }));
}

function session(consumer: Consumer, scenario: ResolvedScenario, site: GatewaySite) {
  return {
    org_id: organisation,
    alias: consumer.name,
    quota_max: -1,
    ...limitOfKey(scenario),
    access_rights: accessRights(consumer, scenario, site),
    ...(scenario.auth === "basic" ? { basic_auth_data: { password: consumer.password } } : {}),
  };
}

/** To the routes it sends to. Tyk copies a key's rights for each request, so all of them would cost with the number of routes. */
function accessRights({ name }: Consumer, scenario: ResolvedScenario, site: GatewaySite) {
  const own = pairsOf(scenario, site).filter(({ consumer }) => consumer?.name === name);
  const ids = own.map(({ route }) => apiId(route));
  return Object.fromEntries(ids.map((id) => [id, { api_id: id, api_name: id, versions: ["Default"] }]));
}
