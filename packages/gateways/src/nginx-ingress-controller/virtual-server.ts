import {
  hostOf,
  type Certificate,
  type GatewaySite,
  type Manifest,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { routePaths } from "../requests";
import {
  ingressClass,
  metadata,
  namespace,
  readyPath,
  secret,
  service,
  upstreamName,
  virtualServerName,
} from "./names";
import { policiesOf } from "./policies";
import { upstream } from "./upstreams";

/** Its host is the name by which clients reach the Service: requests to any other are answered with 404. */
export const virtualServer = (scenario: ResolvedScenario, site: GatewaySite): Manifest => ({
  apiVersion: "k8s.nginx.org/v1",
  kind: "VirtualServer",
  metadata: metadata(virtualServerName),
  spec: {
    ingressClassName: ingressClass,
    host: hostOf({ name: service, namespace }),
    ...(scenario.scheme === "https" ? { tls: { secret: certificateSecret } } : {}),
    upstreams: [upstream(scenario, site)],
    routes: [...routePaths(scenario).map((path, index) => route(path, policiesOf(scenario, index + 1))), ready],
  },
});

const route = (path: string, policies: readonly string[]) => ({
  path,
  ...(policies.length > 0 ? { policies: policies.map((name) => ({ name })) } : {}),
  action: { proxy: { upstream: upstreamName, rewritePath: "/", requestHeaders: { pass: true, set: clientsOwn } } },
});

/** The upstream sees the client's own headers and none of the gateway's, from every gateway. nginx sends no empty ones. */
const clientsOwn = [
  { name: "Host", value: "${http_host}" },
  ...["X-Real-IP", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto"].map((name) => ({
    name,
    value: "",
  })),
];

/** Without a policy: asking it takes nothing from anybody's limit. */
const ready = { path: readyPath, action: { return: { code: 200, type: "text/plain", body: "ready" } } };

const certificateSecret = "certificate";

export const certificate = ({ certificate, key }: Certificate): Manifest =>
  secret(certificateSecret, "kubernetes.io/tls", { "tls.crt": certificate, "tls.key": key });
