import type { TransportError } from "@gatebench/core/contract";

/** Go's words for what went wrong, by kind; the first that fits. */
const kinds: readonly (readonly [TransportError, RegExp])[] = [
  ["files", /too many open files/],
  ["ports", /cannot assign requested address/],
  ["dns", /no such host|server misbehaving/],
  ["timeout", /context deadline exceeded|Client\.Timeout|i\/o timeout|TLS handshake timeout/],
  ["reset", /connection reset by peer|broken pipe/],
  ["eof", /EOF|server closed idle connection/],
  ["tls", /tls: |x509: |remote error/],
  ["connect", /connection refused|dial tcp/],
  ["write", /write tcp/],
  ["read", /read tcp/],
];

/** Transport errors by kind. hey counts each wording apart, and wordings hold port numbers. */
export function errorsByKind(errors: readonly (readonly [count: number, text: string])[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [count, text] of errors.filter(([some]) => some > 0)) {
    const [kind] = kinds.find(([, words]) => words.test(text)) ?? ["other"];
    sums[kind] = (sums[kind] ?? 0) + count;
  }
  return sums;
}

/** How Go's errors end: the words that name their kind, whole. */
const ends = [
  /: (?:socket: )?too many open files$/,
  /: cannot assign requested address$/,
  /: (?:no such host|server misbehaving)$/,
  /: context deadline exceeded(?: \(Client\.Timeout exceeded while (?:awaiting headers|reading body)\))?$/,
  /(?:: i\/o timeout|TLS handshake timeout)$/,
  /: (?:connection reset by peer|broken pipe)$/,
  /: (?:unexpected )?EOF$|: http: server closed idle connection$/,
  /: (?:tls|x509|remote error): \S+( \S+)*$/,
  /: (?:connection refused|no route to host|network is unreachable)$/,
];

/** Whether a line of hey's text ends as an error does, and is not one cut off. */
export const hasKnownEnd = (text: string): boolean => ends.some((end) => end.test(text));
