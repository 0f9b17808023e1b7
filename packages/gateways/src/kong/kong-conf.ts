import {
  bindAddress,
  fileOf,
  folder,
  type GatewaySite,
  type ResolvedScenario,
  type TlsProfile,
} from "@gatebench/core/contract";
import { lines } from "../configuration-text";

/** The whole kong.conf. What it does not set is as in Kong's kong.conf.default. */
export function kongConf(scenario: ResolvedScenario, site: GatewaySite): string {
  return `${lines(
    processes(site),
    listeners(scenario, site),
    additions,
    clients,
    scenario.upstream.keepAlive ? keptConnections : connectionPerRequest,
    scenario.scheme === "https" && tls(scenario.tls),
  )}\n`;
}

const processes = ({ workers }: GatewaySite) => `prefix = ${folder}
database = off
declarative_config = ${fileOf("kong.yaml")}
nginx_daemon = off
nginx_worker_processes = ${workers}
# Without effect unless root starts Kong: then workers must still enter the prefix, which is for its owner only.
nginx_user = root
log_level = error
proxy_error_log = /dev/stderr
status_error_log = /dev/stderr
`;

const listeners = (
  { scheme }: ResolvedScenario,
  { ports }: GatewaySite,
) => `# The kernel spreads connections over the workers, as it does for nginx and Envoy.
proxy_listen = ${bindAddress}:${ports.entry}${scheme === "https" ? " ssl" : ""} reuseport backlog=4096
# Beside the traffic; each reading is one connection and one request, so that it can be taken off.
status_listen = ${bindAddress}:${ports.status}
nginx_status_keepalive_timeout = 0
admin_listen = off
admin_gui_listen = off
`;

const additions = `# Off for every gateway: disk writes would be measured as latency.
proxy_access_log = off
# Client and upstream see each other's headers and, as far as Kong can leave them out, none of the gateway's own.
headers = off
headers_upstream = off
# Kong would report its use to its vendor.
anonymous_reports = off
`;

const clients = `# No gateway closes its clients' connections, neither by count nor within a run.
nginx_http_keepalive_requests = 1000000000
nginx_http_keepalive_timeout = 1h
# Bodies stay in memory and have no limit, as in every gateway: disk writes would be measured as latency.
nginx_http_client_max_body_size = 0
nginx_http_client_body_buffer_size = 1m
nginx_proxy_proxy_max_temp_file_size = 0
# No gateway tries again. Kong's retries are off in kong.yaml; this is nginx's, where a kept connection died.
nginx_proxy_proxy_next_upstream = off
`;

const keptConnections = `# As many idle connections as any load here has; no gateway closes them by count.
upstream_keepalive_pool_size = 512
upstream_keepalive_max_requests = 0
upstream_keepalive_idle_timeout = 60`;

const connectionPerRequest = `# As the scenario asks: each request has its own connection to the upstream.
upstream_keepalive_pool_size = 0`;

const tls = ({ version, cipher, curve, resumption }: TlsProfile) =>
  lines(
    `
ssl_cert = ${fileOf("certificate.pem")}
ssl_cert_key = ${fileOf("key.pem")}
# With any other suite Kong ignores ciphers and protocols.
ssl_cipher_suite = custom
ssl_ciphers = ${cipher}
ssl_protocols = TLSv${version}
ssl_prefer_server_ciphers = on
nginx_proxy_ssl_ecdh_curve = ${curve}
# A resumed session skips the handshake that is being counted.
ssl_session_tickets = ${resumption ? "on" : "off"}`,
    !resumption && noSessionCache,
  );

/** Kong has no setting for it: its template writes a cache for the proxy, and this line after it. */
const noSessionCache = `# Stands after the cache of Kong's own template; nginx takes the later one, off.
nginx_proxy_ssl_session_cache = off`;
