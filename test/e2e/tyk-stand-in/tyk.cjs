/**
 * What stands in Tyk's place where there is none: it reads the same files and takes the same requests, as far as they are
 * rendered here, and is stricter where Tyk is lenient. It shows that everything reaches Tyk, not what Tyk does with it.
 */
const { readdirSync, readFileSync } = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const { connect } = require("node:net");
const { join } = require("node:path");

const fail = (why) => {
  process.stderr.write(`${why}\n`);
  process.exit(1);
};

const conf = JSON.parse(readFileSync(process.argv[process.argv.indexOf("--conf") + 1], "utf8"));
const apis = readdirSync(conf.app_path).map((name) => JSON.parse(readFileSync(join(conf.app_path, name), "utf8")));
const { http_server_options: options, storage } = conf;
if (process.env.GOMAXPROCS === undefined || apis.length === 0) fail("no workers, or no API");

let ready = false;
const redis = connect(storage.port, storage.host);
const command = (...words) =>
  redis.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
redis.on("data", (answer) => (/^-/m.test(String(answer)) ? fail(`Redis: ${answer}`) : (ready = true)));
redis.on("error", ({ message }) => fail(message));
command("AUTH", storage.password);

/** By the name that is sent. */
const sessions = new Map();

function createKey(name, text) {
  const session = JSON.parse(text);
  if (Object.keys(session.access_rights).length === 0) return 400;
  sessions.set(name, session);
  command("SET", `apikey-${session.org_id}${name}`, text);
  return 200;
}

async function control(request, answer) {
  const [, key] = /^\/tyk\/keys\/([^/]+)$/.exec(request.url) ?? [];
  if (request.url === "/ready") return answer.writeHead(ready ? 200 : 503).end();
  if (request.headers["x-tyk-authorization"] !== conf.secret) return answer.writeHead(403).end();
  if (request.method !== "POST" || key === undefined) return answer.writeHead(404).end();
  answer.writeHead(createKey(key, (await request.toArray()).join(""))).end();
}

/** The session a request comes with; undefined: none. */
function sessionOf({ headers }, { use_basic_auth: basic, auth_configs: configs }) {
  if (basic) {
    const [user, password] = Buffer.from((headers.authorization ?? "").replace("Basic ", ""), "base64")
      .toString()
      .split(":");
    const session = sessions.get(user);
    return session?.basic_auth_data.password === password ? session : undefined;
  }
  const { use_cookie: inCookie, cookie_name: cookie, auth_header_name: header } = configs.authToken;
  const [, value] = new RegExp(`(?:^|; )${cookie}=([^;]*)`).exec(headers.cookie ?? "") ?? [];
  return sessions.get(inCookie ? value : headers[header]);
}

const agent = new http.Agent({ keepAlive: !conf.proxy_close_connections });
let turn = 0;

function traffic(request, answer) {
  const api = apis.find(({ proxy }) => request.url.startsWith(proxy.listen_path));
  if (api === undefined) return answer.writeHead(404).end();
  const session = api.use_keyless ? undefined : sessionOf(request, api);
  if (!api.use_keyless && session?.access_rights[api.api_id] === undefined) return answer.writeHead(403).end();
  const { target_url: only, target_list: targets = [only], listen_path: prefix } = api.proxy;
  const { hostname, port } = new URL(targets[turn++ % targets.length]);
  const { method, url } = request;
  const headers = { ...request.headers };
  delete headers.connection;
  const onward = http.request({ agent, host: hostname, port, method, path: `/${url.slice(prefix.length)}`, headers });
  onward.on("response", (from) => from.pipe(answer.writeHead(from.statusCode, from.headers)));
  onward.on("error", () => answer.destroy());
  request.pipe(onward);
}

const versions = { 771: "TLSv1.2", 772: "TLSv1.3" };
const ciphers = { TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384" };

function serve(handler, port) {
  if (!options.use_ssl) return http.createServer(handler).listen(port, conf.listen_address);
  const [{ cert_file: cert, key_file: key }] = options.certificates;
  const tls = {
    ...{
      cert: readFileSync(cert),
      key: readFileSync(key),
      ecdhCurve: "X25519",
      ciphers: ciphers[options.ssl_ciphers[0]],
    },
    ...{ minVersion: versions[options.min_version], maxVersion: versions[options.max_version] },
  };
  return https.createServer(tls, handler).listen(port, conf.listen_address);
}

serve(control, conf.control_api_port);
serve(traffic, conf.listen_port);
