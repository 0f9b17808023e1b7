import { request } from "node:https";
import { text } from "node:stream/consumers";
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

/** One request to the API of the cluster this pod is in, its answer as JSON. */
export async function kube<T>(method: string, path: string, { query, body }: KubeCall = {}): Promise<T> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const options = {
    host: process.env.KUBERNETES_SERVICE_HOST,
    port: process.env.KUBERNETES_SERVICE_PORT,
    ca: readText(`${account}/ca.crt`),
    method,
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
        (said) =>
          statusCode < 400 ? resolve(JSON.parse(said) as T) : reject(new KubeError(statusCode, messageIn(said))),
        reject,
      );
    });
    asked.on("error", ({ message }) =>
      reject(new Error(`host-unreachable: the cluster's API does not answer: ${message}`)),
    );
    asked.end(sent);
  });
}

function messageIn(said: string): string {
  try {
    return (JSON.parse(said) as { message: string }).message;
  } catch {
    return said.trim();
  }
}
