/** The two ports: traffic, and the page of counters. */
const { constants } = require("node:crypto");
const { readFileSync } = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const { listenerOf, millisecondsOf } = require("./settings.cjs");

function serveTraffic(settings, handler, counted) {
  const { host, port, ssl } = listenerOf(settings.proxy_listen);
  const server = ssl ? https.createServer(tlsOf(settings)) : http.createServer();
  server.keepAliveTimeout = millisecondsOf(settings.nginx_http_keepalive_timeout ?? "75s");
  server.requestTimeout = server.headersTimeout = 0;
  server.on("request", handler);
  listen(server, { host, port }, counted);
}

/** As nginx counts: for all its servers together, this page included. */
function serveStatus(settings, counted) {
  const server = http.createServer((request, answer) => {
    const page = pages[request.url];
    answer.writeHead(page ? 200 : 404, { "content-type": "application/json", connection: "close" });
    answer.end(page ? JSON.stringify(page(counted)) : "");
  });
  listen(server, listenerOf(settings.status_listen), counted);
}

const pages = {
  "/status/ready": () => ({ message: "ready" }),
  "/status": ({ requests, connections }) => ({
    server: { total_requests: requests, connections_accepted: connections, connections_handled: connections },
  }),
};

function listen(server, { host, port }, counted) {
  server.prependListener("request", () => counted.requests++);
  server.on("connection", () => counted.connections++);
  server.listen({ host, port, backlog: 4096 });
}

function tlsOf(settings) {
  if (settings.ssl_cipher_suite !== "custom") throw new Error("it knows ssl_cipher_suite = custom alone");
  const [lowest, highest] = [settings.ssl_protocols.split(" ")[0], settings.ssl_protocols.split(" ").at(-1)];
  const { SSL_OP_NO_TICKET } = constants;
  return {
    ...{ cert: readFileSync(settings.ssl_cert), key: readFileSync(settings.ssl_cert_key) },
    ...{ ciphers: settings.ssl_ciphers, honorCipherOrder: settings.ssl_prefer_server_ciphers === "on" },
    ...{ minVersion: lowest, maxVersion: highest, ecdhCurve: settings.nginx_proxy_ssl_ecdh_curve ?? "auto" },
    // Node keeps no sessions by their ID; with tickets it would resume by these.
    secureOptions: settings.ssl_session_tickets === "off" ? SSL_OP_NO_TICKET : 0,
  };
}

module.exports = { serveStatus, serveTraffic };
