import { bindAddress, fileOf, type TlsProfile } from "../contract";
import { payload } from "./payload";
import type { UpstreamSite } from "./upstream-app";

/** The whole nginx.conf. Relative paths lie in the workload's own folder, which `-p` names. */
export function staticPayloadConf({ behaviour, tls, ports, workers }: UpstreamSite, label: string): string {
  return `daemon off;
pid nginx.pid;
# Without effect unless root starts nginx: then workers must still read what belongs to root alone.
user root;
worker_processes ${workers};
error_log stderr crit;

events {
    worker_connections 16384;
}

http {
    client_body_temp_path client_body_temp;
    proxy_temp_path proxy_temp;
    fastcgi_temp_path fastcgi_temp;
    uwsgi_temp_path uwsgi_temp;
    scgi_temp_path scgi_temp;
    default_type text/plain;

    # nginx counts no statuses: only a response that is not a success leaves its own.
    map $status $failed {
        200 "";
        default 1;
    }
    log_format status $status;
    access_log failures.log status if=$failed;

${payloadVariables(behaviour.responseBytes)}    # Gateways decide how long connections to the upstream live, never the upstream.
    keepalive_timeout 1h;
    keepalive_requests 1000000000;

    server {
        listen ${bindAddress}:${ports.http} reuseport backlog=4096;
${tls ? secure(tls, ports.https as number) : ""}
        add_header x-upstream ${label} always;

        location / {
            return 200 "${payloadText(behaviour.responseBytes)}";
        }

${echo}
    }

    # Beside the traffic; each reading is one connection and one request, so that it can be taken off.
    server {
        listen ${bindAddress}:${ports.status};
        access_log off;
        keepalive_timeout 0;
        location = /status {
            stub_status;
        }
        location = /failures {
            alias failures.log;
        }
    }
}
`;
}

const kib = 1024;
const mib = 1024 * kib;

/** nginx reads a text of at most 4,095 bytes, so a longer body is put together from variables. */
function payloadVariables(bytes: number): string {
  if (bytes <= 2 * kib) return "";
  return `    map "" $k {
        default "${payload(kib)}";
    }
    map "" $m {
        default "${"$k".repeat(1024)}";
    }
    map "" $rest {
        default "${payload(bytes % kib)}";
    }

`;
}

function payloadText(bytes: number): string {
  if (bytes <= 2 * kib) return payload(bytes);
  return `${"$m".repeat(Math.floor(bytes / mib))}${"$k".repeat(Math.floor((bytes % mib) / kib))}$rest`;
}

/**
 * `$request_body` is known only once something has read the body, which `return` does not. `mirror` does; its copy is
 * dropped at once. The file asked for then does not exist, and that error answers with the body. A proxy to itself
 * would read it too, but make every request two in the counters. Other paths are not touched by any of it.
 */
const echo = `        location = /echo {
            client_max_body_size 1m;
            # In memory and in one piece, or $request_body is empty.
            client_body_buffer_size 1m;
            client_body_in_single_buffer on;
            mirror /dropped;
            error_page 403 404 405 =200 @body;
        }
        location = /dropped {
            internal;
            return 204;
        }
        location @body {
            return 200 $request_body;
        }`;

const secure = ({ version, cipher, curve, resumption }: TlsProfile, port: number) => `
        listen ${bindAddress}:${port} ssl reuseport backlog=4096;
        ssl_certificate ${fileOf("certificate.pem")};
        ssl_certificate_key ${fileOf("key.pem")};
        ssl_protocols TLSv${version};
        ssl_ciphers ${cipher};
        ssl_prefer_server_ciphers on;
        ssl_ecdh_curve ${curve};
        # A resumed session skips the handshake that is being counted.
        ssl_session_cache ${resumption ? "shared:sessions:10m" : "off"};
        ssl_session_tickets ${resumption ? "on" : "off"};
`;
