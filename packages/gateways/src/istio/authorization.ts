import { secondsOf } from "@gatebench/core/contract";
import { tokenFromCookie as filter, type AuthorizerOptions } from "../envoy/external-auth";
import { authorizerHost, authorizerPort, labels, provider, resource } from "./names";

/** Of the mesh: over gRPC all headers go along. */
export const extensionProviders = ({ timeout = "250ms", failOpen = false }: AuthorizerOptions) => [
  {
    name: provider,
    envoyExtAuthzGrpc: {
      service: authorizerHost,
      port: authorizerPort,
      timeout: `${secondsOf(timeout)}s`,
      failOpen,
      statusOnError: "403",
    },
  },
];

/** Every route is asked about. */
export const authorizationPolicy = () =>
  resource("security.istio.io/v1", "AuthorizationPolicy", "ask-authorizer", {
    selector: { matchLabels: labels },
    action: "CUSTOM",
    provider: { name: provider },
    rules: [{ to: [{ operation: { paths: ["/route-*"] } }] }],
  });

/** Istio has no word for it; the filter is Envoy's own. */
export const tokenFromCookie = (port: number) => ({
  applyTo: "HTTP_FILTER",
  match: {
    context: "GATEWAY",
    listener: {
      portNumber: port,
      filterChain: {
        filter: {
          name: "envoy.filters.network.http_connection_manager",
          subFilter: { name: "envoy.filters.http.ext_authz" },
        },
      },
    },
  },
  patch: {
    // Before it, or the authorizer would be asked about a request without a token.
    operation: "INSERT_BEFORE",
    value: filter,
  },
});
