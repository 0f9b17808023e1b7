import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createListener, type Server as Listener } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  broken,
  consumers,
  type Job,
  type JobOutput,
  type LiveTarget,
  type RateLimit,
  resolveScenario,
  type Scenario,
  substitute,
  type Verification,
} from "@gatebench/core/contract";
import { resumptionRefused, verificationJob, verificationOf } from "@gatebench/core/laws";

const payload = "gatebench ".repeat(100);
const secret = `it's "so\\called`;
const [consumer] = consumers(1);

/** A gateway for each way to go wrong: what nginx is told beside what a good one is told. */
const gateways = {
  good: `location / { proxy_pass http://one; }`,
  "two upstreams": `location / { proxy_pass http://two; }`,
  "one of two upstreams": `location / { proxy_pass http://first; }`,
  "sticky to a client": `location / { proxy_pass http://sticky; }`,
  "answers another status": `location / { return 404; }`,
  "changes the answer": `location / { proxy_pass http://one; sub_filter gatebench benchgate; sub_filter_types *; }`,
  "changes the request": `location / { proxy_pass http://one; proxy_set_body "short"; }`,
  caches: `location / { proxy_pass http://one; proxy_cache answers; proxy_cache_valid 200 1m; }`,
  "closes upstream connections": `location / { proxy_pass http://unkept; proxy_set_header Connection close; }`,
  "asks for the key": `if ($known = 0) { return 401; } location / { proxy_pass http://one; }`,
  "asks for some key": `if ($http_apikey = "") { return 401; } location / { proxy_pass http://one; }`,
  limits: `limit_req_status 429; location / { limit_req zone=client burst=19 nodelay; proxy_pass http://one; }`,
  "limits with 503": `location / { limit_req zone=client burst=19 nodelay; proxy_pass http://one; }`,
  "redirects to the entry": "return 301 https://$host:ENTRY$request_uri;",
  "redirects to its own port": "return 301 https://$http_host$request_uri;",
} as const;

const fullHandshakes = "ssl_session_cache off; ssl_session_tickets off;";
const tls12 = "ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES256-GCM-SHA384; ssl_ecdh_curve X25519;";
const secureGateways = {
  "good TLS 1.2": `${tls12} ${fullHandshakes}`,
  "good TLS 1.3": `ssl_protocols TLSv1.3; ssl_ecdh_curve X25519; ${fullHandshakes}`,
  "TLS 1.2 and 1.3": `${tls12.replace("TLSv1.2", "TLSv1.2 TLSv1.3")} ${fullHandshakes}`,
  "TLS 1.3 resumed by ticket": `ssl_protocols TLSv1.3; ssl_ecdh_curve X25519;`,
  "resumed by ticket": `${tls12} ssl_session_tickets on;`,
  "resumed by ID": `${tls12} ssl_session_cache shared:sessions:1m; ssl_session_tickets off;`,
  "another cipher": `${tls12.replace("AES256-GCM-SHA384", "AES128-GCM-SHA256")} ${fullHandshakes}`,
  "more ciphers": `${tls12.replace("ECDHE-RSA-AES256-GCM-SHA384", "HIGH")} ${fullHandshakes}`,
  "another curve": `${tls12.replace("X25519", "secp384r1")} ${fullHandshakes}`,
} as const;

type Gateway = keyof typeof gateways | keyof typeof secureGateways;
const names = [...Object.keys(gateways), ...Object.keys(secureGateways)] as Gateway[];

let folder: string;
let ports: Record<Gateway, number>;
let upstreams: Upstream[];
let nginx: ChildProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "live-laws-"));
  upstreams = [await startUpstream("upstream-1"), await startUpstream("upstream-2")];
  ports = await freePorts();
  makeCertificate();
  writeFileSync(join(folder, "nginx.conf"), nginxConf());
  nginx = spawn("nginx", ["-p", folder, "-c", "nginx.conf", "-e", "stderr"], { stdio: "inherit" });
  await answering(ports.good);
}, 20_000);

afterAll(async () => {
  const ended = new Promise((resolve) => nginx.once("exit", resolve));
  nginx.kill("SIGTERM");
  await ended;
  for (const { server, status } of upstreams)
    [server, status].forEach((each) => (each.closeAllConnections(), each.close()));
  rmSync(folder, { recursive: true });
});

const plain: Scenario = { name: "plain", upstream: { responseBytes: payload.length } };
const unkept: Scenario = { name: "unkept", upstream: { ...plain.upstream, keepAlive: false } };
const keyed: Scenario = { ...plain, name: "key", auth: "key" };
const balanced: Scenario = { name: "round-robin", upstream: { ...plain.upstream, count: 2 } };
const leastBusy: Scenario = { ...balanced, name: "least-connections", balancing: "least-connections" };
const limit: RateLimit = { requests: 20, per: "500ms", scope: "client", store: "local" };
const limited: Scenario = { ...plain, name: "limit", rateLimit: limit };
const secure: Scenario = { ...plain, name: "tls-12", scheme: "https" };
const resumable: Scenario = { ...secure, name: "tls-12-resumed", tls: { resumption: true } };
const redirected: Scenario = { ...secure, name: "redirected", redirectHttp: true };
const secure13: Scenario = { ...secure, name: "tls-13", tls: { version: "1.3" } };

const good: [Gateway, Scenario][] = [
  ["good", plain],
  ["two upstreams", balanced],
  ["two upstreams", leastBusy],
  ["closes upstream connections", unkept],
  ["asks for the key", keyed],
  ["limits", limited],
  ["good TLS 1.2", secure],
  ["good TLS 1.3", secure13],
  ["resumed by ticket", resumable],
  ["resumed by ID", resumable],
];

test.each(good.map(([gateway, scenario]) => ({ gateway, scenario })))(
  "a gateway that does what is asked breaks no law: $gateway, asked for $scenario.name",
  async ({ gateway, scenario }) => {
    const { laws } = await verify(gateway, scenario);
    expect(laws.filter(({ finding }) => finding.verdict !== "held")).toEqual([]);
  },
);

const bad: [Gateway, Scenario, Record<string, string>][] = [
  [
    "answers another status",
    plain,
    {
      "answers with the expected status": "GET / was answered with 404 where 200 was expected",
      "leaves a request's body unchanged": "a POST was answered with 404",
    },
  ],
  [
    "changes the answer",
    plain,
    {
      "leaves the upstream's answer unchanged":
        "1 of 1 answer had another body: 1000 bytes where the upstream sent 1000",
    },
  ],
  [
    "changes the request",
    plain,
    { "leaves a request's body unchanged": "of a body of 8082 bytes the upstream saw another one of 5 bytes" },
  ],
  [
    "caches",
    plain,
    { "asks the upstream every time": "16 requests were answered and only 0 of them reached the upstream" },
  ],
  [
    "closes upstream connections",
    plain,
    {
      "keeps its connections to the upstream as asked":
        "16 connections to the upstream opened for 16 requests, though they were to be kept",
    },
  ],
  [
    "good",
    unkept,
    {
      "keeps its connections to the upstream as asked":
        "0 connections to the upstream opened for 16 requests, though each request was to have its own",
    },
  ],
  [
    "one of two upstreams",
    balanced,
    {
      "reaches every upstream": "upstream-1 answered 32, upstream-2 answered 0; upstream-2 never answered",
      "splits requests evenly": "upstream-1 answered 32, upstream-2 answered 0, where each should answer 16",
    },
  ],
  [
    "good",
    keyed,
    {
      "refuses a wrong credential":
        "a request with a wrong credential was answered with 200 where 401 or 403 was expected",
      "refuses a missing credential":
        "a request with no credential was answered with 200 where 401 or 403 was expected",
    },
  ],
  [
    "asks for some key",
    keyed,
    {
      "refuses a wrong credential":
        "a request with a wrong credential was answered with 200 where 401 or 403 was expected",
    },
  ],
  ["TLS 1.2 and 1.3", secure, { "refuses other TLS versions": "it accepted TLS 1.3 where only TLS 1.2 was asked" }],
  [
    "good TLS 1.3",
    secure,
    {
      "speaks the asked TLS version": "no handshake with TLS 1.2: tlsv1 alert protocol version",
      "refuses other TLS versions": "it accepted TLS 1.3 where only TLS 1.2 was asked",
    },
  ],
  [
    "good TLS 1.2",
    secure13,
    {
      "speaks the asked TLS version": "no handshake with TLS 1.3: tlsv1 alert protocol version",
      "refuses other TLS versions": "it accepted TLS 1.2 where only TLS 1.3 was asked",
    },
  ],
  [
    "resumed by ticket",
    secure,
    { "refuses to resume a TLS session by ticket": "10 of 10 handshakes resumed a session by ticket" },
  ],
  [
    "resumed by ID",
    secure,
    { "refuses to resume a TLS session by its ID": "10 of 10 handshakes resumed a session by its ID" },
  ],
  [
    "TLS 1.3 resumed by ticket",
    secure13,
    { "refuses to resume a TLS session by ticket": "10 of 10 handshakes resumed a session by ticket" },
  ],
  [
    "good TLS 1.2",
    resumable,
    {
      "resumes TLS sessions":
        "no session was given that could be resumed by its ID, no session was given that could be resumed by ticket",
    },
  ],
  [
    "more ciphers",
    secure,
    {
      "refuses other ciphers": expect.stringMatching(
        /^it accepted TLS 1.2 with \S+ where only ECDHE-RSA-AES256-GCM-SHA384 was asked$/,
      ),
    },
  ],
  [
    "another cipher",
    secure,
    {
      "agrees on the asked cipher":
        "the cipher was ECDHE-RSA-AES128-GCM-SHA256 where ECDHE-RSA-AES256-GCM-SHA384 was asked",
      "refuses other ciphers":
        "it accepted TLS 1.2 with ECDHE-RSA-AES128-GCM-SHA256 where only ECDHE-RSA-AES256-GCM-SHA384 was asked",
    },
  ],
  [
    "another curve",
    secure,
    { "exchanges keys over the asked curve": "the curve was secp384r1 where X25519 was asked" },
  ],
  [
    "good",
    limited,
    {
      "enforces the rate limit": expect.stringMatching(
        /^with a limit of 20 in 0.5 s, 52 requests in 0\.\d\d s were answered with 200 \(52 times\)$/,
      ),
    },
  ],
  [
    "limits with 503",
    limited,
    {
      "enforces the rate limit": expect.stringMatching(
        /^with a limit of 20 in 0.5 s, 52 requests in 0\.\d\d s were answered with .*503/,
      ),
    },
  ],
];

test.each(bad.map(([gateway, scenario, reasons]) => ({ gateway, scenario, reasons })))(
  "a gateway that does not breaks exactly that law: $gateway, asked for $scenario.name",
  async ({ gateway, scenario, reasons }) => {
    const found = broken(await verify(gateway, scenario));
    expect(Object.fromEntries(found.map(({ law, reason }) => [law, reason]))).toEqual(reasons);
  },
);

test("a gateway that keeps a client to one of two upstreams breaks the laws of balancing", async () => {
  const found = broken(await verify("sticky to a client", balanced));
  expect(found.map(({ law }) => law)).toEqual(["reaches every upstream", "splits requests evenly"]);
});

test("plain HTTP is redirected to the entry, or the law of that is broken and no other", async () => {
  const found = async (redirectPort: number) => broken(await verify("good TLS 1.2", redirected, { redirectPort }));
  expect(await found(ports["redirects to the entry"])).toEqual([]);
  const law = "redirects HTTP to https";
  const own = ports["redirects to its own port"];
  const reason = `plain HTTP is redirected to https://127.0.0.1:${own}/, not to the entry`;
  expect(await found(own)).toEqual([{ law, reason }]);
  const answered = "plain HTTP was answered with 200, which is no redirect";
  expect(await found(ports.good)).toEqual([{ law, reason: answered }]);
  expect(await found(await freePort())).toEqual([
    { law, reason: "curl ended with 7 (no connection) after 0 of 1 answers" },
  ]);
}, 20_000);

test("a gateway that is not there answers nothing and holds nothing", async () => {
  const { laws } = await verify("good", secure, { port: await freePort() });
  expect(laws.filter(({ finding }) => finding.verdict === "held")).toEqual([]);
  expect(broken({ target: "", laws })[0]).toEqual({
    law: "answers with the expected status",
    reason: "curl ended with 7 (no connection) after 0 of 1 answers",
  });
});

test("transactions are counted only where no session was resumed", async () => {
  expect(resumptionRefused(await verify("good TLS 1.2", secure))).toBe(true);
  expect(resumptionRefused(await verify("resumed by ticket", secure))).toBe(false);
});

test("after the limit was tried it allows again what it is there to allow", async () => {
  await verify("limits", limited);
  const statuses = await Promise.all(Array.from({ length: 15 }, () => fetch(`http://127.0.0.1:${ports.limits}/`)));
  expect(statuses.map(({ status }) => status)).toEqual(Array(15).fill(200));
}, 10_000);

test("no credential stands in a command", () => {
  const { job } = verificationJob(resolveScenario(keyed), targetOf("asks for the key", keyed));
  expect([...job.command, job.files?.["probe.sh"]].join("\n")).not.toContain("consumer-1");
});

test.each<[Gateway, Scenario, number]>([
  ["good", plain, 1],
  ["good TLS 1.2", secure, 1.5],
])("a verification takes little of anybody's time: %s", async (gateway, scenario, mostS) => {
  const started = performance.now();
  await verify(gateway, scenario);
  const tookS = (performance.now() - started) / 1000;
  if (process.env.SHOW_TIMES) console.log(gateway, tookS.toFixed(2), "s");
  expect(tookS).toBeLessThan(2 * mostS); // Twice, because other tests may share the CPUs.
});

async function verify(gateway: Gateway, scenario: Scenario, other: Partial<LiveTarget> = {}): Promise<Verification> {
  const asked = resolveScenario(scenario);
  const target = { ...targetOf(gateway, scenario), ...other };
  return verificationOf(gateway, asked, target, await run(verificationJob(asked, target).job));
}

function targetOf(gateway: Gateway, { auth, scheme = "http", upstream }: Scenario): LiveTarget {
  const running = upstreams.slice(0, upstream?.count ?? 1);
  return {
    scheme,
    host: "127.0.0.1",
    port: ports[gateway],
    requests: [{ method: "GET", path: "/", headers: auth ? { apikey: consumer!.key } : {}, expect: 200 }],
    upstreams: running.map(({ name }) => name),
    payload: { sha256: createHash("sha256").update(payload).digest("hex"), bytes: payload.length },
    echo: { path: "/echo" },
    upstreamCounters: running.map(({ status }) => ({ host: "127.0.0.1", pages: [statusPage(portOf(status))] })),
  };
}

const statusPage = (port: number) => ({
  port,
  path: "/",
  values: { requests: "^requests (\\d+)$", connections: "^connections (\\d+)$" },
});

/** As a host does it: files in a folder of the job's own, values put in at the last moment. */
async function run({ command, files = {}, killAfterS }: Job): Promise<JobOutput> {
  const place = mkdtempSync(join(folder, "job-"));
  const paths = Object.fromEntries(Object.keys(files).map((name) => [`file.${name}`, join(place, name)]));
  const values = { ...paths, "consumer-1.key": secret };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), substitute(text, values));
  const [file = "", ...args] = command.map((word) => substitute(word, values));
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], timeout: killAfterS * 1000 });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { ...output, files: {}, exitCode };
}

interface Upstream {
  readonly name: string;
  readonly server: Server;
  readonly status: Server;
}

async function startUpstream(name: string): Promise<Upstream> {
  const counts = { requests: 0, connections: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    response.setHeader("x-upstream", name);
    if (request.url?.endsWith("/echo")) request.pipe(response);
    else response.end(payload);
  });
  server.on("connection", () => (counts.connections += 1));
  server.keepAliveTimeout = 60_000;
  const status = createServer((_, response) =>
    response.end(`requests ${counts.requests}\nconnections ${counts.connections}`),
  );
  await Promise.all([server, status].map((each) => new Promise<void>((up) => each.listen(0, "127.0.0.1", up))));
  return { name, server, status };
}

function nginxConf(): string {
  const [first, second] = upstreams.map(({ server }) => `server 127.0.0.1:${portOf(server)};`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`);
  return `daemon off; pid nginx.pid; worker_processes 2; error_log stderr crit; events {}
user root; # Or workers may not write to a folder of ours.
http {
  access_log off; ${temporary.join(" ")}
  client_body_buffer_size 64k;
  proxy_http_version 1.1; proxy_set_header Connection "";
  proxy_cache_path ${folder}/cache keys_zone=answers:1m;
  limit_req_zone $binary_remote_addr$server_port zone=client:1m rate=40r/s;
  map $http_apikey $known { default 0; '${secret.replace(/['\\]/g, "\\$&")}' 1; }
  upstream one { ${first} keepalive 16; }
  upstream two { zone two 64k; ${first} ${second} keepalive 16; }
  upstream unkept { ${first} }
  upstream first { ${first} ${second?.replace(";", " backup;")} keepalive 16; }
  upstream sticky { ip_hash; ${first} ${second} keepalive 16; }
  ssl_certificate certificate.pem; ssl_certificate_key key.pem; ssl_prefer_server_ciphers on;
${Object.entries({ ...gateways, ...secureGateways })
  .map(([name, text]) => serverConf(name as Gateway, text))
  .join("\n")}
}`;
}

function serverConf(name: Gateway, text: string): string {
  const listen = `server { listen 127.0.0.1:${ports[name]}`;
  const told = text.replace("ENTRY", `${ports["good TLS 1.2"]}`);
  return name in secureGateways ? `${listen} ssl; ${told} ${gateways.good} }` : `${listen}; ${told} }`;
}

function makeCertificate(): void {
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "certificate.pem")];
  const options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  execFileSync("openssl", ["req", ...options, ...files], { stdio: "ignore" });
}

const portOf = (server: Listener | Server) => (server.address() as AddressInfo).port;

/** All are held until all are known, so that no two are the same. */
async function freePorts(): Promise<Record<Gateway, number>> {
  const listeners = await Promise.all(names.map(listener));
  const found = Object.fromEntries(names.map((name, index) => [name, portOf(listeners[index]!)]));
  await Promise.all(listeners.map((each) => new Promise((closed) => each.close(closed))));
  return found as Record<Gateway, number>;
}

async function freePort(): Promise<number> {
  const one = await listener();
  const port = portOf(one);
  await new Promise((closed) => one.close(closed));
  return port;
}

function listener(): Promise<Listener> {
  const server = createListener();
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function answering(port: number, triesLeft = 100): Promise<void> {
  const open = await new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => (socket.destroy(), resolve(true))).once("error", () => resolve(false));
  });
  if (open) return;
  if (triesLeft === 0) throw new Error("nginx did not start");
  await new Promise((later) => setTimeout(later, 50));
  return answering(port, triesLeft - 1);
}
