import type { TlsObservation, TlsProbe } from "../../contract";

/** One run of openssl: how it ended, and what it told. */
interface Handshake {
  readonly exit: number;
  readonly told: string[];
}

/** What openssl's lines say of one handshake and the attempts to resume it. */
export function readHandshakes(
  probe: TlsProbe,
  lines: readonly string[],
  unparsed: (what: string) => Error,
): TlsObservation {
  const strange = (what: string) => unparsed(`probe ${probe.name} has ${what}`);
  const none = lines.includes("session none");
  const [first, ...attempts] = handshakesOf(lines, strange);
  if (first === undefined) throw strange("no handshake");
  if (first.exit === 126 || first.exit === 127) throw unparsed("openssl is missing where the load comes from");
  if ([first, ...attempts].some(isMute)) throw strange("a handshake about which nothing is told");
  if (attempts.length > (probe.resume?.times ?? 0)) throw strange(`${attempts.length} attempts too many`);
  if (!none && attempts.length < attemptsDue(probe, attempts)) throw strange(`only ${attempts.length} attempts`);
  return { kind: "tls", ...agreed(first), reused: attempts.flatMap(reuse), ...errorOf(first, attempts) };
}

function handshakesOf(lines: readonly string[], strange: (what: string) => Error): readonly Handshake[] {
  const all: Handshake[] = [];
  for (const line of lines) {
    const [, exit] = /^openssl (\d+)$/.exec(line) ?? [];
    if (exit !== undefined) all.push({ exit: Number(exit), told: [] });
    else if (line.startsWith("told ") && all.length > 0) all.at(-1)?.told.push(line.slice(5).trim());
    else if (line !== "session none") throw strange(`the line ${JSON.stringify(line)}`);
  }
  return all;
}

/** openssl succeeded and always tells of it, so its words were lost. */
const isMute = (handshake: Handshake) => handshake.exit === 0 && !agreed(handshake).connected;

/** A failed attempt is the last one. */
function attemptsDue({ resume }: TlsProbe, attempts: readonly Handshake[]): number {
  return attempts.at(-1)?.exit ? attempts.length : (resume?.times ?? 0);
}

const captured = ({ told }: Handshake, pattern: RegExp) =>
  told.map((line) => pattern.exec(line)).find((match) => match !== null);

function agreed(handshake: Handshake) {
  const [, version, cipher] = captured(handshake, /^(?:New|Reused), TLSv(\d\.\d), Cipher is (\S+)$/) ?? [];
  const [, curve] = captured(handshake, /(?:Temp Key: (?:ECDH, )?|TLS1\.3 group: )([^,\s]+)/) ?? [];
  const [, algorithm] = captured(handshake, /^Public Key Algorithm: (\S+)$/) ?? [];
  const [, bits] = captured(handshake, /Public-Key: \((\d+) bit\b/) ?? [];
  return {
    connected: version !== undefined,
    ...(version === undefined ? {} : { version, cipher: cipher as string }),
    ...(curve === undefined ? {} : { curve }),
    ...(algorithm === undefined || bits === undefined ? {} : { key: { algorithm, bits: Number(bits) } }),
    ticket: captured(handshake, /session ticket/i) !== undefined,
  };
}

function reuse(attempt: Handshake): readonly boolean[] {
  const [, how] = captured(attempt, /^(New|Reused), TLSv/) ?? [];
  return how === undefined ? [] : [how === "Reused"];
}

function errorOf(first: Handshake, attempts: readonly Handshake[]): { readonly error?: string } {
  const failed = [first, ...attempts].find((handshake) => !agreed(handshake).connected);
  return failed ? { error: reason(failed) } : {};
}

function reason(handshake: Handshake): string {
  if (handshake.exit === 124) return "timed out";
  if (!captured(handshake, /^CONNECTED/)) return "no connection";
  const [, words] = captured(handshake, /:error:[^:]*:[^:]*:[^:]*:([^:]+)/) ?? [];
  return words ?? "closed by the server";
}
