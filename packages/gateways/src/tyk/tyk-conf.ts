import {
  addressOf,
  bindAddress,
  folder,
  gatewaySecret,
  type GatewaySite,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { json } from "./json";
import { limiterOf } from "./rate-limit";
import { tlsOptions } from "./tls";

/** The whole tyk.conf. */
export function tykConf(scenario: ResolvedScenario, site: GatewaySite): string {
  return json({
    listen_address: bindAddress,
    listen_port: site.ports.entry,
    // Keys are created and readiness is asked beside the traffic.
    control_api_port: site.ports.control,
    secret: gatewaySecret,
    node_secret: gatewaySecret,
    template_path: "/opt/tyk-gateway/templates",
    pid_file_location: `${folder}/tyk.pid`,
    use_db_app_configs: false,
    app_path: `${folder}/apps`,
    policies: { policy_source: "file" },
    storage: storage(site),
    ...quiet,
    ...credentials,
    ...limiterOf(scenario),
    ...analytics(scenario),
    ...upstreamConnections(scenario),
    http_server_options: { ...clientConnections, ...tlsOptions(scenario) },
  });
}

const storage = ({ ports }: GatewaySite) => ({
  type: "redis",
  host: addressOf("redis"),
  port: ports.redis,
  password: gatewaySecret,
  // As in Tyk's own example; its defaults of 100 and 500 make requests wait for a connection.
  optimisation_max_idle: 2000,
  optimisation_max_active: 4000,
});

const quiet = {
  // Errors only, and no access log (which is Tyk's default), for every gateway: disk writes would be measured as latency.
  log_level: "error",
  access_logs: { enabled: false },
  // The answer has the upstream's headers and none that say who carried it.
  hide_generator_header: true,
  // No gateway takes an upstream out after failures.
  uptime_tests: { disable: true },
};

const credentials = {
  hash_keys: true,
  allow_master_keys: false,
  // Passwords only: the hash is not what is measured, and Tyk's own, bcrypt, would stall each user once a minute.
  basic_auth_hash_key_function: "sha256",
};

/** Nobody takes the records out of Redis here, so they expire: soon, as a Tyk Pump would have taken them by then. */
const analytics = ({ analytics: asked }: ResolvedScenario) => ({
  enable_analytics: asked,
  ...(asked ? { analytics_config: { enable_detailed_recording: false, storage_expiration_time: 10 } } : {}),
});

const upstreamConnections = ({ upstream }: ResolvedScenario) => ({
  proxy_close_connections: !upstream.keepAlive,
  // As many idle connections as any load here has; Go's own limit, if none is set, is 2.
  max_idle_connections_per_host: 512,
  // In seconds, as in every gateway.
  proxy_default_timeout: 60,
});

/** In seconds: an idle client is kept as long as by the other gateways. Tyk's own is two minutes. */
const clientConnections = { read_timeout: 3600, write_timeout: 3600 };
