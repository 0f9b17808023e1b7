/**
 * What stands in go-bench-suite's place where it cannot be built: the same command line, and the same answers at the
 * paths that are asked here, in its words. It shows that everything reaches go-bench-suite, not how fast that is.
 */
const http = require("node:http");
const { setTimeout: sleep } = require("node:timers/promises");

const [command, flag, address = ""] = process.argv.slice(2);
const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? [];
if (command !== "upstream" || flag !== "--addr" || port === undefined || process.env.GOMAXPROCS === undefined) {
  process.stderr.write(`unknown: ${process.argv.slice(2).join(" ")}\n`);
  process.exit(1);
}

/** Milliseconds by which a timer here may be early; Go's time.Sleep never is. */
const early = 1;
const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's time.Time.String, without the zeros at the end of a second's parts. */
function json() {
  const [day, hour] = new Date().toISOString().slice(0, -1).split("T");
  return `{"time": "${day} ${hour.replace(/\.?0+$/, "")} +0000 UTC m=+${process.uptime().toFixed(9)}"}`;
}

const size = (bytes) => Array.from({ length: bytes }, () => "abcXYZ"[Math.floor(6 * Math.random())]).join("");

async function answerOf({ method, url, headers, rawHeaders }, body) {
  const [, delay, unit] = /^\/delay\/([\d.]+)(ms|s|m|h)$/.exec(url) ?? [];
  const [, bytes] = /^\/size\/(\d+)B$/.exec(url) ?? [];
  if (method === "POST" && url === "/echo") return echo({ method, url, headers, rawHeaders }, body);
  if (method !== "GET") return undefined;
  if (delay !== undefined) return sleep(Number(delay) * units[unit] + early, "");
  return bytes === undefined ? { "/json/valid": json() }[url] : size(Number(bytes));
}

function echo({ method, url, headers, rawHeaders }, body) {
  const Headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const Header = `${method} ${url} HTTP/1.1\r\n${rawHeaders.join("\r\n")}`;
  const said = { Method: method, RequestURI: url, Header, Headers, Body: body, Host: headers.host, QueryArgs: "" };
  return `${JSON.stringify(said)}\n`;
}

http
  .createServer({ keepAliveTimeout: 3_600_000 }, async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const answer = await answerOf(request, body);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "text/plain; charset=utf-8" });
    response.end(answer ?? "Not Found");
  })
  .listen(Number(port), host || undefined);
