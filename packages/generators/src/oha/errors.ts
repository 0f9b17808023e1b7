import type { TransportError } from "@gatebench/core/contract";

/** A request under way when the time was up, or a worker that waited for one: not an error of anybody's. */
const aborted = "aborted due to deadline";

/** The words of oha, hyper, rustls and the operating system for what went wrong, by kind; the first that fits. */
const kinds: readonly (readonly [TransportError, RegExp])[] = [
  ["files", /Too many open files/],
  ["ports", /Cannot assign requested address/],
  ["timeout", /^timeout$|timed out/],
  ["reset", /reset by peer|Broken pipe/],
  ["dns", /DNS|record found|resolve|lookup/i],
  ["tls", /certificate|tls|fatal alert|handshake|HandshakeFailure/i],
  ["eof", /before message completed|unexpected end of file|eof/i],
  ["connect", /Connection refused|unreachable|No route to host/],
  ["write", /writing a body/],
  // hyper names where it happened, not what: an answer broken off by a reset or by an end reads the same.
  ["read", /connection error|reading a body|parsed/],
];

/** Transport errors by kind, those aside that only the end of the run made. */
export function errorsByKind(distribution: Readonly<Record<string, number>>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [text, count] of Object.entries(distribution).filter(([text]) => text !== aborted)) {
    const [kind] = kinds.find(([, words]) => words.test(text)) ?? ["other"];
    sums[kind] = (sums[kind] ?? 0) + count;
  }
  return sums;
}

export const abortedOf = (distribution: Readonly<Record<string, number>>): number => distribution[aborted] ?? 0;
