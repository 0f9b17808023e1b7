import { request } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { readText } from "./process";

/** Where a pod finds what it may ask its cluster's API by; kept fresh by the kubelet, so read each time. */
const account = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What the API answered when it did not do what it was asked to. */
export class KubeError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface KubeCall {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The namespace this pod is in. */
export const namespace = (): string => readText(`${account}/namespace`) ?? "default";

/** As long as it takes an API server to be started anew. */
const patienceMs = 120_000;
const pauseMs = 500;

/** One request to the API of the cluster this pod is in, its answer as JSON; sent again while nobody takes it. */
export async function kube<T>(method: string, path: string, call: KubeCall = {}): Promise<T> {
  for (const startedMs = Date.now(); ; await sleep(pauseMs)) {
    const answer = await kubeOnce<T>(method, path, call).catch((error: Error) => error);
    if (!(answer instanceof Error)) return answer;
    if (!(answer instanceof NotTaken) || Date.now() - startedMs > patienceMs) throw answer;
  }
}

/** Nothing was done: nobody answered, or it was not yet ready to. */
class NotTaken extends Error {}

const timeoutMs = 10_000;

/** The same, asked once. */
export async function kubeOnce<T>(method: string, path: string, { query, body }: KubeCall = {}): Promise<T> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const options = {
    host: process.env.KUBERNETES_SERVICE_HOST,
    port: process.env.KUBERNETES_SERVICE_PORT,
    ca: readText(`${account}/ca.crt`),
    method,
    timeout: timeoutMs,
    path: `${path}${query ? `?${new URLSearchParams(query)}` : ""}`,
    headers: {
      Authorization: `Bearer ${readText(`${account}/token`) ?? ""}`,
      ...(sent === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(sent) }),
    },
  };
  return new Promise((resolve, reject) => {
    const asked = request(options, (answer) => {
      const { statusCode = 0 } = answer;
      text(answer).then(
        (said) => (statusCode < 400 ? resolve(JSON.parse(said) as T) : reject(refusalOf(statusCode, said))),
        reject,
      );
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    asked.on("error", (error: NodeJS.ErrnoException) => {
      const away = `host-unreachable: the cluster's API does not answer: ${error.message}.`;
      reject(error.code === "ECONNREFUSED" || method === "GET" ? new NotTaken(away) : new Error(away));
    });
    asked.end(sent);
  });
}

/** 429 and 503: it is to be asked again. */
const refusalOf = (status: number, said: string): Error =>
  status === 429 || status === 503
    ? new NotTaken(`host-unreachable: ${messageIn(said)}`)
    : new KubeError(status, messageIn(said));

function messageIn(said: string): string {
  try {
    return (JSON.parse(said) as { message: string }).message;
  } catch {
    return said.trim();
  }
}
