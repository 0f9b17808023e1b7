/**
 * A gateway as a stranger writes one: against the published contract, in a package of its own. The test copies it out of
 * this repository before it is used.
 */
const { addressOf, bindAddress, fileOf } = require("@gatebench/core/contract");

const version = "20.19.0";

const small = () => ({
  name: "a-small-gateway",
  version,
  ports: ["entry"],
  supports: {
    ...{ schemes: ["http"], tlsVersions: [], auth: [], credentials: [], rateLimit: [], analytics: false },
    ...{ balancing: [], routes: 1, consumers: 0 },
  },
  render: (scenario, site) => ({
    kind: "containers",
    workloads: [
      {
        name: "small",
        role: "gateway",
        image: `node:${version}`,
        command: ["node", fileOf("proxy.js")],
        files: { "proxy.js": proxy(scenario, site) },
        ports: site.ports,
        readiness: { port: site.ports.entry },
      },
    ],
    entry: { scheme: "http", host: addressOf("small"), port: site.ports.entry },
    requests: [requestOf(scenario)],
  }),
});

const requestOf = ({ request: { method, headers, body } }) => ({
  ...{ method, headers, path: "/route-1/", expect: 200 },
  ...(body === undefined ? {} : { body }),
});

const proxy = ({ upstream: { keepAlive } }, { upstreams: [upstream], ports, workers }) => `
const cluster = require("node:cluster");
const http = require("node:http");

const agent = new http.Agent({ keepAlive: ${keepAlive} });

function pass(request, answer) {
  const { method, url, headers } = request;
  const path = url.replace("/route-1", "");
  const onward = http.request({ agent, host: "${upstream.host}", port: ${upstream.port}, method, path, headers });
  onward.on("response", (from) => from.pipe(answer.writeHead(from.statusCode, from.headers)));
  onward.on("error", () => answer.destroy());
  request.pipe(onward);
}

if (cluster.isPrimary) for (let worker = 0; worker < ${workers}; worker++) cluster.fork();
else http.createServer(pass).listen(${ports.entry}, "${bindAddress}");
`;

module.exports = { small };
