import type { Chart, GatewaySite, ResolvedScenario, TlsProfile } from "@gatebench/core/contract";
import { lines } from "../configuration-text";
import { image } from "./image";
import { ingressClass, namespace, release, service } from "./names";
import { licenceSecret, registrySecret } from "./plus";

export interface Product {
  readonly version: string;
  readonly chartVersion: string;
  readonly plus: boolean;
  readonly connections: number;
}

export const chart = (product: Product, scenario: ResolvedScenario, site: GatewaySite): Chart => ({
  name: release,
  chart: "nginx-ingress",
  version: product.chartVersion,
  repository: image.charts,
  namespace,
  values: values(product, scenario, site),
  services: [service],
  placement: {
    pool: "gateway",
    nodeSelector: "controller.nodeSelector",
    tolerations: "controller.tolerations",
    resources: "controller.resources",
  },
});

function values(product: Product, scenario: ResolvedScenario, { ports, workers }: GatewaySite) {
  return {
    controller: {
      image: { repository: repository(product), tag: product.version },
      ...(product.plus ? plusValues : {}),
      replicaCount: 1,
      ingressClass: { name: ingressClass, create: true },
      config: { entries: entries(product, scenario, workers) },
      service: entryService(scenario, ports),
      // By default the certificate is read again at each handshake, which is what TLS transactions measure.
      enableSSLDynamicReload: false,
      // By default it calls home during runs.
      telemetryReporting: { enable: false },
      // It would write a line to a socket for each request.
      enableLatencyMetrics: false,
    },
    prometheus: { create: true, port: 9113 },
  };
}

const repository = ({ plus }: Product) =>
  plus ? "private-registry.nginx.com/nginx-ic/nginx-plus-ingress" : "nginx/nginx-ingress";

const plusValues = {
  nginxplus: true,
  mgmt: { licenseTokenSecretName: licenceSecret },
  serviceAccount: { imagePullSecretName: registrySecret },
};

/** Reached inside the cluster only, from the client's node straight to the pod: no load balancer, no second node. */
function entryService({ scheme }: ResolvedScenario, { entry, metrics }: GatewaySite["ports"]) {
  const secure = scheme === "https";
  return {
    create: true,
    type: "ClusterIP",
    httpPort: secure ? { enable: false } : { enable: true, port: entry, targetPort: 80, name: "http" },
    httpsPort: secure ? { enable: true, port: entry, targetPort: 443, name: "https" } : { enable: false },
    customPorts: [{ name: "metrics", port: metrics, targetPort: 9113, protocol: "TCP" }],
  };
}

/** The controller's ConfigMap: all of it text. */
function entries({ connections }: Product, scenario: ResolvedScenario, workers: number) {
  return {
    "worker-processes": `${workers}`,
    "worker-connections": `${connections}`,
    "worker-rlimit-nofile": "65536",
    // Off for every gateway: disk writes would be measured as latency.
    "access-log-off": "true",
    "default-server-access-log-off": "true",
    "error-log-level": "crit",
    // No gateway closes its clients' connections by count.
    "keepalive-timeout": "1h",
    "keepalive-requests": "1000000000",
    // Bodies stay in memory and have no limit, as in every gateway: disk writes would be measured as latency.
    "client-max-body-size": "0",
    "client-body-buffer-size": "1m",
    "proxy-max-temp-file-size": "0",
    // Keys are in a map of their hashes; nginx only warns where it is too small, and is slower.
    "map-hash-max-size": "65536",
    ...(scenario.scheme === "https" ? tlsEntries(scenario.tls) : {}),
  };
}

function tlsEntries({ version, cipher, curve, resumption }: TlsProfile) {
  return {
    "ssl-protocols": `TLSv${version}`,
    "ssl-ciphers": cipher,
    "ssl-prefer-server-ciphers": "true",
    // What the controller has no key for.
    "http-snippets": lines(
      `ssl_ecdh_curve ${curve};`,
      "# A resumed session skips the handshake that is being counted.",
      `ssl_session_cache ${resumption ? "shared:sessions:10m" : "off"};`,
      `ssl_session_tickets ${resumption ? "on" : "off"};`,
    ),
  };
}
