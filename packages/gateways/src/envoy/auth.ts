import type { GatewaySite, ResolvedScenario } from "@gatebench/core/contract";
import { keyName } from "../requests";
import { externalAuthFilters, type AuthorizerOptions } from "./external-auth";
import { extension } from "./typed";

/** Who may pass. They stand before the limiter: a refused request takes nothing from anybody's limit. */
export function authFilters(
  { auth, credential }: ResolvedScenario,
  { consumers }: GatewaySite,
  authorizer: AuthorizerOptions,
) {
  if (auth === "key") {
    const credentials = consumers.map(({ key, name }) => ({ key, client: name }));
    return [extension("envoy.filters.http.api_key_auth", { credentials, key_sources: [{ [credential]: keyName }] })];
  }
  if (auth === "basic") {
    const users = consumers.map(({ htpasswd }) => `${htpasswd}\n`).join("");
    return [extension("envoy.filters.http.basic_auth", { users: { inline_string: users } })];
  }
  return auth === "external" ? externalAuthFilters({ credential }, authorizer) : [];
}
