import {
  bindAddress,
  fileOf,
  type GatewaySite,
  type RateLimit,
  type ResolvedScenario,
  type TlsProfile,
} from "@gatebench/core/contract";
import { block, lines } from "../configuration-text";
import { keyName, routePaths } from "../requests";
import { rateOf } from "./rate";

/** The whole nginx.conf. Relative paths lie in the workload's own folder, which `-p` names. */
export function nginxConf(scenario: ResolvedScenario, site: GatewaySite): string {
  return `${lines(
    processes(site),
    block("events", "worker_connections 16384;"),
    block(
      "http",
      files,
      scenario.auth === "key" && keys(scenario, site),
      failures,
      proxying(scenario),
      scenario.rateLimit && limitZone(scenario.rateLimit, scenario),
      upstreams(scenario, site),
      entryServer(scenario, site),
      scenario.redirectHttp && redirectServer(site),
      statusServer(site),
    ),
  )}\n`;
}

/** What a person's own nginx.conf includes, last in its http block: nginx then says that it is ready, and counts. */
export const statusConf = (site: GatewaySite): string => `${lines(failures, statusServer(site))}\n`;

const processes = ({ workers }: GatewaySite) => `daemon off;
pid nginx.pid;
# Without effect unless root starts nginx: then workers must still read htpasswd, which is for its owner only.
user root;
worker_processes ${workers};
error_log stderr crit;
`;

const files = `client_body_temp_path client_body_temp;
proxy_temp_path proxy_temp;
fastcgi_temp_path fastcgi_temp;
uwsgi_temp_path uwsgi_temp;
scgi_temp_path scgi_temp;
# Bodies stay in memory and have no limit, as in every gateway: disk writes would be measured as latency.
client_body_buffer_size 1m;
client_max_body_size 0;
proxy_max_temp_file_size 0;
`;

const failures = `# Off for every gateway: disk writes would be measured as latency.
# Only a response that is not a success leaves its status, because nginx counts no statuses.
map $status $failed {
    200 "";
    201 "";
    202 "";
    204 "";
    206 "";
    default 1;
}
log_format status $status;
access_log failures.log status if=$failed;
`;

const proxying = ({ upstream }: ResolvedScenario) => `proxy_http_version 1.1;
# The upstream sees the client's own headers and none of the gateway's, from every gateway.
proxy_set_header Host $http_host;
proxy_set_header Connection ${upstream.keepAlive ? '""' : "close"};
proxy_read_timeout 60s;
# No gateway tries again: a second attempt would hide a failure and count twice upstream.
proxy_next_upstream off;
`;

function keys({ credential }: ResolvedScenario, { consumers }: GatewaySite): string {
  return lines(
    "# Sizes of the hash of keys; nginx wants them before the first map.",
    "map_hash_bucket_size 256;",
    "map_hash_max_size 65536;",
    block(
      `map $${credential === "cookie" ? "cookie" : "http"}_${keyName} $consumer`,
      'default "";',
      ...consumers.map(({ key, name }) => `"${key}" ${name};`),
    ),
    "",
  );
}

function limitZone(limit: RateLimit, scenario: ResolvedScenario): string {
  return `limit_req_zone ${limitKey(limit, scenario)} zone=limit:10m rate=${rateOf("nginx", limit)};\nlimit_req_status 429;\n`;
}

function limitKey({ scope }: RateLimit, { auth }: ResolvedScenario): string {
  const consumer = auth === "basic" ? "$remote_user" : "$consumer";
  return { gateway: "gateway", route: "$route", consumer, client: "$binary_remote_addr" }[scope];
}

function upstreams({ balancing, upstream }: ResolvedScenario, site: GatewaySite): string {
  return block(
    "upstream upstreams",
    "# All workers share one view of the upstreams; without it each balances alone.",
    "zone upstreams 256k;",
    balancing === "least-connections" && "least_conn;",
    "# No gateway takes an upstream out after failures.",
    ...site.upstreams.map(({ host, port }) => `server ${host}:${port} max_fails=0;`),
    upstream.keepAlive && keptConnections,
  );
}

const keptConnections = `# As many idle connections as any load here has; no gateway closes them by count.
keepalive 512;
keepalive_requests 1000000000;
keepalive_timeout 60s;`;

function entryServer(scenario: ResolvedScenario, { ports }: GatewaySite): string {
  const secure = scenario.scheme === "https";
  return block(
    "\nserver",
    "# The kernel spreads connections over the workers, as it does for Envoy. Without, the first worker awake takes most.",
    `listen ${bindAddress}:${ports.entry}${secure ? " ssl" : ""} reuseport backlog=4096;`,
    "keepalive_timeout 1h;",
    "keepalive_requests 1000000000;",
    secure && tls(scenario.tls),
    scenario.auth === "key" && 'if ($consumer = "") {\n    return 401;\n}',
    scenario.auth === "basic" && `auth_basic gatebench;\nauth_basic_user_file ${fileOf("htpasswd")};`,
    scenario.rateLimit && limit(scenario.rateLimit),
    ...routePaths(scenario).map((path) => route(path, scenario.rateLimit)),
  );
}

/** `$host` is the host that was asked for, without its port. */
const redirectServer = ({ ports }: GatewaySite) =>
  block(
    "\nserver",
    `listen ${bindAddress}:${ports.redirect} backlog=4096;`,
    `return 301 https://$host:${ports.entry}$request_uri;`,
  );

/** The bucket holds what one period allows: less would reject a client below its limit that sends in clusters. */
function limit({ requests }: RateLimit): string {
  return `limit_req zone=limit${requests > 1 ? ` burst=${requests - 1}` : ""} nodelay;`;
}

const route = (path: string, rateLimit: RateLimit | undefined) =>
  block(
    `location ${path}`,
    rateLimit?.scope === "route" && `set $route ${path};`,
    "# The slash strips the route's prefix.",
    "proxy_pass http://upstreams/;",
  );

const tls = ({ version, cipher, curve, resumption }: TlsProfile) => `ssl_certificate ${fileOf("certificate.pem")};
ssl_certificate_key ${fileOf("key.pem")};
ssl_protocols TLSv${version};
ssl_ciphers ${cipher};
ssl_prefer_server_ciphers on;
ssl_ecdh_curve ${curve};
# A resumed session skips the handshake that is being counted.
ssl_session_cache ${resumption ? "shared:sessions:10m" : "off"};
ssl_session_tickets ${resumption ? "on" : "off"};`;

/** Beside the traffic; each reading is one connection and one request, so that it can be taken off. */
const statusServer = ({ ports }: GatewaySite) => `
server {
    listen ${bindAddress}:${ports.status};
    access_log off;
    keepalive_timeout 0;
    default_type text/plain;
    location = /status {
        stub_status;
    }
    location = /failures {
        alias failures.log;
    }
}`;
