import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestSpec } from "../../contract";
import type { Probed } from "../job-record";

const timeoutMs = 5000;

/** One request over a connection of its own, so that what it adds to the counters is known. */
export function ask(
  scheme: "http" | "https",
  host: string,
  port: number,
  spec: Omit<RequestSpec, "expect">,
): Promise<{ readonly status: number; readonly body: string }> {
  const send = scheme === "https" ? httpsRequest : httpRequest;
  const options = {
    host,
    port,
    method: spec.method,
    path: spec.path,
    headers: { ...spec.headers, connection: "close" },
    agent: false,
    timeout: timeoutMs,
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const sent = send(options, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString("utf8") }),
      );
      response.on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    sent.on("error", reject);
    sent.end(spec.body);
  });
}

export async function readPage(host: string, port: number, path: string): Promise<string> {
  const { status, body } = await ask("http", host, port, { method: "GET", path, headers: {} });
  if (status !== 200) throw new Error(`http://${host}:${port}${path} answered ${status}`);
  return body;
}

/** Whether it answers now; the reason where it does not. */
export async function unready(probed: Probed): Promise<string | undefined> {
  try {
    return probed.path === undefined ? await connects(probed) : await answers(probed, probed.path);
  } catch (error) {
    return (error as Error).message;
  }
}

async function answers({ host, port, scheme, status = 200 }: Probed, path: string): Promise<string | undefined> {
  const answer = await ask(scheme ?? "http", host, port, { method: "GET", path, headers: {} });
  return answer.status === status ? undefined : `${path} answered ${answer.status} instead of ${status}`;
}

function connects({ host, port }: Probed): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: timeoutMs }, () => resolve(void socket.destroy() as undefined));
    socket.on("timeout", () => socket.destroy(new Error(`port ${port} does not answer`)));
    socket.on("error", reject);
  });
}

/** Waits until it answers; the last reason where it did not in time. */
export async function awaitReady(probed: Probed, withinS: number, gaveUp: () => boolean): Promise<string | undefined> {
  const deadline = Date.now() + withinS * 1000;
  for (;;) {
    const reason = await unready(probed);
    if (reason === undefined) return undefined;
    if (Date.now() > deadline || gaveUp()) return reason;
    await sleep(20);
  }
}
