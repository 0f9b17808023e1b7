/** What becomes of a request: its route, its plugins in Kong's order, and its way to the upstream and back. */
const http = require("node:http");
const { balancer } = require("./balancer.cjs");
const { authenticators } = require("./credentials.cjs");
const { limiter } = require("./rate-limit.cjs");

function gateway({ routes, upstreams, consumers, plugins }, settings) {
  const balancers = Object.fromEntries(upstreams.map((upstream) => [upstream.name, balancer(upstream)]));
  const kept = Number(settings.upstream_keepalive_pool_size) > 0;
  const agent = new http.Agent({ keepAlive: kept, maxFreeSockets: Number(settings.upstream_keepalive_pool_size) });
  const global = policyOf(plugins, consumers, "all");
  const ready = routes.flatMap((route) => prepared(route, global, balancers, consumers)).sort(longestFirst);
  return async (request, answer) => {
    const found = ready.find(({ path }) => request.url.startsWith(path));
    if (!found) return say(answer, { status: 404, message: "no Route matched with those values" });
    const allowed = await found.admit(request).catch(unexpected);
    if (allowed.status) return say(answer, allowed);
    return forward(request, answer, { ...found, agent, headers: headersOf(request, found, allowed) });
  };
}

const longestFirst = (one, other) => other.path.length - one.path.length;

function prepared({ paths, strip, keepsHost, service, port, plugins, name }, global, balancers, consumers) {
  const next = balancers[service] ?? balancer({ targets: [{ target: `${service}:${port}` }] });
  const own = policyOf(plugins, consumers, name);
  const admit = admission({ ...global, ...own });
  return paths.map((path) => ({ path, strip, keepsHost, next, admit }));
}

/** A route's plugin stands in place of the same one for all. */
function policyOf(plugins, consumers, owner) {
  const made = plugins.map(({ name, config = {} }) => [
    name,
    name === "rate-limiting" ? limiter(config, owner) : authenticators[name](config, consumers),
  ]);
  return Object.fromEntries(made);
}

function admission({ "rate-limiting": withinLimit, ...authentication }) {
  return async (request) => {
    let consumer;
    for (const authenticate of Object.values(authentication)) {
      const found = authenticate(request);
      if (found.status) return found;
      ({ consumer } = found);
    }
    const isWithin = !withinLimit || (await withinLimit(consumer, request.socket.remoteAddress));
    return isWithin ? { consumer } : { status: 429, message: "API rate limit exceeded" };
  };
}

/** fault_tolerant: false. */
const unexpected = () => ({ status: 500, message: "An unexpected error occurred" });

function headersOf({ headers, socket }, { keepsHost }, { consumer }) {
  const { host, ...rest } = without(headers, "connection");
  const forwarded = {
    "x-forwarded-for": [headers["x-forwarded-for"], socket.remoteAddress].filter(Boolean).join(", "),
    ...{ "x-forwarded-proto": socket.encrypted ? "https" : "http", "x-forwarded-host": host },
    ...{ "x-forwarded-port": String(socket.localPort), "x-real-ip": socket.remoteAddress },
    ...(consumer ? { "x-consumer-username": consumer } : {}),
  };
  return { ...rest, ...(keepsHost ? { host } : {}), ...forwarded };
}

function forward(request, answer, { path: prefix, strip, next, agent, headers }) {
  const target = next();
  target.busy++;
  const path = strip ? `/${request.url.slice(prefix.length).replace(/^\//, "")}` : request.url;
  const onward = http.request({ agent, host: target.host, port: target.port, method: request.method, path, headers });
  onward.on("response", (from) => from.pipe(answer.writeHead(from.statusCode, ownHeaders(from))));
  onward.on("error", () => (answer.headersSent ? answer.destroy() : say(answer, badGateway)));
  onward.on("close", () => target.busy--);
  request.pipe(onward);
}

const badGateway = { status: 502, message: "An invalid response was received from the upstream server" };

/** Without what was said about the connection to the upstream. */
const ownHeaders = ({ headers }) => without(headers, "connection", "keep-alive");

const without = (headers, ...names) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

function say(answer, { status, message, headers = {} }) {
  const text = JSON.stringify({ message });
  const length = Buffer.byteLength(text);
  answer.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers }).end(text);
}

module.exports = { gateway };
