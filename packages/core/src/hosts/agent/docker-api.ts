import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** Docker 20.10, the oldest that distributions still carry. */
const version = "v1.41";
const socketPath = "/var/run/docker.sock";

/** What Docker answered when it did not do what it was asked to. */
export class DockerError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface DockerCall {
  readonly query?: Readonly<Record<string, string>>;
  /** JSON, or an archive as it is. */
  readonly body?: object | Buffer;
}

/** One request to this machine's Docker Engine; its answer as it comes. */
export function dockerStream(method: string, path: string, { query, body }: DockerCall = {}): Promise<IncomingMessage> {
  const archive = Buffer.isBuffer(body);
  const sent = body === undefined ? undefined : archive ? body : JSON.stringify(body);
  const type = archive ? "application/x-tar" : "application/json";
  const options = {
    socketPath,
    method,
    path: `/${version}${path}${query ? `?${new URLSearchParams(query)}` : ""}`,
    headers: sent === undefined ? {} : { "Content-Type": type, "Content-Length": Buffer.byteLength(sent) },
  };
  return new Promise((resolve, reject) => {
    const asked = request(options, (answer) => void refused(answer).then(() => resolve(answer), reject));
    asked.on("error", (error) =>
      reject(new Error(`host-unreachable: this machine's Docker does not answer: ${error.message}`)),
    );
    asked.end(sent);
  });
}

/** The same, its answer read to the end as JSON; undefined where there is none. */
export async function docker<T>(method: string, path: string, call?: DockerCall): Promise<T> {
  const said = await text(await dockerStream(method, path, call));
  return (said === "" ? undefined : JSON.parse(said)) as T;
}

async function refused(answer: IncomingMessage): Promise<void> {
  const { statusCode = 0 } = answer;
  if (statusCode < 400) return;
  const said = await text(answer);
  throw new DockerError(statusCode, messageIn(said));
}

function messageIn(said: string): string {
  try {
    return (JSON.parse(said) as { message: string }).message;
  } catch {
    return said.trim();
  }
}
