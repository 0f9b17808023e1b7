import {
  fault,
  FaultError,
  secondsOf,
  type Address,
  type Duration,
  type GatewaySite,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { tokenCookie } from "../requests";
import { extension } from "./typed";

/** How the gateway asks its authorizer. */
export interface AuthorizerOptions {
  /**
   * How long it waits for a decision. Istio's own default is ten minutes, Envoy's 0.2 s.
   * @default "250ms"
   */
  readonly timeout?: Duration;
  /**
   * Whether requests pass that nobody decided about, as where the authorizer is overloaded. Closed, they get 403.
   * @default false
   */
  readonly failOpen?: boolean;
}

export const authorizerCluster = "authorizer";

/** Over gRPC all headers go along, and no body. */
export function externalAuthFilters(
  { credential }: Pick<ResolvedScenario, "credential">,
  { timeout = "250ms", failOpen = false }: AuthorizerOptions,
) {
  const asking = extension("envoy.filters.http.ext_authz", {
    transport_api_version: "V3",
    grpc_service: { envoy_grpc: { cluster_name: authorizerCluster }, timeout: `${secondsOf(timeout)}s` },
    failure_mode_allow: failOpen,
    status_on_error: { code: "Forbidden" },
  });
  // Before it, or the authorizer would be asked about a request without a token.
  return credential === "cookie" ? [tokenFromCookie, asking] : [asking];
}

/** A cookie's name begins where the header does or behind a semicolon: "xs_access" is another cookie. */
const script = `function envoy_on_request(request)
  local cookies = request:headers():get("cookie")
  if cookies == nil then return end
  local token = string.match("; " .. cookies, "[; ]${tokenCookie}=([^; ]+)")
  if token ~= nil then request:headers():replace("authorization", "Bearer " .. token) end
end
`;

/** The authorizer looks for a token in the Authorization header only. It goes on to the upstream there, too. */
export const tokenFromCookie = extension("envoy.filters.http.lua", { default_source_code: { inline_string: script } });

/** Where the authorizer is. */
export function authorizerOf(gateway: string, { name }: ResolvedScenario, { authorizer }: GatewaySite): Address {
  if (authorizer) return authorizer;
  throw new FaultError([
    fault(
      "invalid-option",
      `${gateway} asks an authorizer about each request of scenario "${name}", and there is none. Give it one, or drop auth.`,
    ),
  ]);
}
