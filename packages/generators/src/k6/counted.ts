import type { TransportError } from "@gatebench/core/contract";

/** Statuses counted one by one; k6 counts none it was not told of. 0: no answer. */
export const usualStatuses: readonly number[] = [
  0, 200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 413, 414,
  415, 422, 426, 429, 431, 499, 500, 501, 502, 503, 504, 505, 520,
];

/** k6's codes for what went wrong (`lib/netext/httpext/error_codes.go`), by kind. All others are "other". */
export const errorCodes: Readonly<Record<string, TransportError>> = {
  // An alert of the other side's TLS: no error of TCP, so k6 has no name for it.
  "1010": "tls",
  "1050": "timeout",
  "1100": "dns",
  "1101": "dns",
  // A broken pipe: the other side had closed or reset it.
  "1201": "reset",
  "1210": "connect",
  "1211": "timeout",
  "1212": "connect",
  "1220": "reset",
  "1300": "tls",
  "1301": "tls",
  "1310": "tls",
  "1311": "tls",
};

/** k6's words, where one code (1000, 1213) stands for several kinds. */
export const errorWords: Readonly<Record<string, TransportError>> = {
  EOF: "eof",
  "unexpected EOF": "eof",
  "http: server closed idle connection": "eof",
  "dial: unknown errno 24 error with msg `too many open files`": "files",
  "dial: unknown errno 99 error with msg `cannot assign requested address`": "ports",
};

/** What the script has k6 count apart, by k6's names of tags. */
export interface Counted {
  readonly status: readonly number[];
  readonly error_code: readonly string[];
  readonly error: readonly string[];
}

export const countedWith = (statuses: readonly number[]): Counted => ({
  status: [...new Set([...usualStatuses, ...statuses])].sort((left, right) => left - right),
  error_code: Object.keys(errorCodes),
  error: Object.keys(errorWords),
});
