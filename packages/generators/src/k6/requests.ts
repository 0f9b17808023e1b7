import type { RequestSpec, Target } from "@gatebench/core/contract";
import { requestHeaders, urlOf, type Headers } from "../request-headers";

/** One request as k6's `http.request` takes it. */
export interface K6Request {
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
  readonly params: { readonly headers: Headers; readonly timeout: string };
}

export function k6Request(request: RequestSpec, target: Target, timeout: string): K6Request {
  const { method, body } = request;
  // Without a body Go sends `Content-Length: 0` by itself where one is usual.
  return {
    method,
    url: urlOf(request, target),
    body: body || null,
    params: { headers: requestHeaders(request, target), timeout },
  };
}
