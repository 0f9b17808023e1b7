/**
 * An HTTP/1.1 server that knows what it did: each request gets the answer its number says, and the server's own log
 * holds when it came, when it was answered and with what. Raw sockets, because Node's http would hide resets and cost
 * more than it serves.
 *
 *   fork(server.mjs, [JSON.stringify({ answers, tls? })]); it sends { port }, then, asked for "report", what it did.
 */
import { createServer } from "node:net";
import { performance } from "node:perf_hooks";
import { createServer as createTlsServer } from "node:tls";
import { constants } from "node:crypto";
import { scheduleNamed } from "./schedules.mjs";

const { answers, tls } = JSON.parse(process.argv[2]);
const schedule = scheduleNamed(answers);
const body = "x".repeat(64);
const now = () => performance.timeOrigin + performance.now();

const nothing = () => ({
  arrivedMs: [],
  tookMs: [],
  statuses: {},
  connections: 0,
  resumed: 0,
  requests: 0,
  resets: 0,
  hung: 0,
  truncated: 0,
});
const log = nothing();

function serve(socket) {
  log.connections += 1;
  if (socket.isSessionReused?.()) log.resumed += 1;
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  let pending = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let request = next(pending); request; request = next(pending)) {
      pending = pending.subarray(request.length);
      answer(socket, request);
    }
  });
}

/** The first whole request of these bytes. */
function next(bytes) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = end + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return bytes.length < length ? undefined : { length, closes: /^connection: *close/im.test(head) };
}

function answer(socket, { closes }) {
  const arrivedMs = now();
  const index = log.requests++;
  const { kind = "answer", status = 200, delayMs = 0 } = schedule(index, arrivedMs);
  if (kind === "hang") return void (log.hung += 1);
  const act = () => kinds[kind](socket, status, closes, arrivedMs);
  if (delayMs > 0) setTimeout(act, delayMs);
  else act();
}

const kinds = {
  answer(socket, status, closes, arrivedMs) {
    if (socket.destroyed) return;
    const text = `HTTP/1.1 ${status} Said\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n${closes ? "Connection: close\r\n" : ""}\r\n${body}`;
    if (closes) socket.end(text);
    else socket.write(text);
    log.arrivedMs.push(arrivedMs);
    log.tookMs.push(now() - arrivedMs);
    log.statuses[status] = (log.statuses[status] ?? 0) + 1;
  },
  reset(socket) {
    log.resets += 1;
    socket.resetAndDestroy();
  },
  truncate(socket) {
    log.truncated += 1;
    socket.end(`HTTP/1.1 200 Said\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n${body}`);
  },
};

const noTickets = constants.SSL_OP_NO_TICKET;
const server = tls
  ? createTlsServer({ ...tls, maxVersion: "TLSv1.2", ...(tls.resumption ? {} : { secureOptions: noTickets }) }, serve)
  : createServer(serve);
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => process.send({ port: server.address().port }));

process.on("message", (asked) => {
  if (asked === "report") process.send({ log });
  if (asked === "forget") {
    Object.assign(log, nothing());
    schedule.restart?.();
    process.send({ forgotten: true });
  }
});
process.on("disconnect", () => process.exit(0));
