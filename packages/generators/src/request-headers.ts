import type { RequestSpec, Target } from "@gatebench/core/contract";

export type Headers = Readonly<Record<string, string>>;

/** hey 0.1.4 sends this name whatever it is told, so every generator does. */
export const userAgent = "hey/0.0.1";

/**
 * The headers every generator sends, so that a gateway reads the same bytes whichever tool asks: the request's own,
 * and those some tool cannot leave out. Content-Length and `Connection: close` follow from body and load.
 */
export function requestHeaders({ headers }: RequestSpec, { host }: Pick<Target, "host">): Headers {
  return {
    // Without the port: hey sends the TLS server name as it sends Host, and a server name with a port is none.
    Host: authority(host),
    "User-Agent": userAgent,
    // hey sends a content type on every request, its own "text/html" where nothing else is said.
    "Content-Type": "text/plain",
    ...canonical(headers),
  };
}

/** The address of a request, as tools take it. */
export function urlOf({ path }: RequestSpec, { scheme, host, port }: Target): string {
  return `${scheme}://${authority(host)}:${port}${path}`;
}

/** Whether a request without a body says `Content-Length: 0`, as RFC 9110 8.6 wants where a body is usual. */
export const expectsBody = (method: string): boolean => ["POST", "PUT", "PATCH"].includes(method);

function authority(host: string): string {
  return /^[0-9a-f]*:[0-9a-f:.]+$/i.test(host) ? `[${host}]` : host;
}

/** Go's spelling of header names, which hey cannot be talked out of: x-api-key becomes X-Api-Key. */
function canonical(headers: Headers): Headers {
  const spelt = (name: string) => name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [spelt(name), value]));
}
