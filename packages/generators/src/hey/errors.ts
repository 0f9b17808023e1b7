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
