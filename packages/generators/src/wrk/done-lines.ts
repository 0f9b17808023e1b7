import { unparsed } from "../unparsed-output";
import { isLineOfWrk, type WrkText } from "./text";

/**
 * What somebody's own `done` function prints behind wrk's words: an object of JSON to a line, perhaps behind a word, that
 * tells by its requests which run it speaks of.
 */
const written = /^(?:\w+ )?(\{.*\})\s*$/;

/** wrk's words, and what came behind them where that is such lines and nothing else. */
export function withoutDone(lines: readonly string[]): {
  readonly lines: readonly string[];
  readonly said: readonly object[];
} {
  const end = lines.findLastIndex(isLineOfWrk) + 1;
  const said = lines
    .slice(end)
    .filter((line) => line.trim() !== "")
    .map(objectIn);
  const understood = said.filter((one) => one !== undefined);
  return understood.length < said.length ? { lines, said: [] } : { lines: lines.slice(0, end), said: understood };
}

function objectIn(line: string): object | undefined {
  try {
    const told = JSON.parse(written.exec(line)?.[1] ?? "") as object;
    return "requests" in told ? told : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever prints requests, errors or statuses by these names prints wrk's. */
export function checkDone(said: readonly object[], { requests, errors }: Pick<WrkText, "requests" | "errors">): void {
  for (const { requests: told, status, errors: failed } of said as readonly Told[]) {
    agree("requests", told, requests);
    agree("statuses above 399", status && above399(status), errors.status);
    for (const name of ["connect", "read", "write", "status", "timeout"] as const)
      agree(`errors (${name})`, failed?.[name], errors[name]);
  }
}

interface Told {
  readonly requests?: unknown;
  /** By code. */
  readonly status?: Readonly<Record<string, number>>;
  readonly errors?: Readonly<Record<string, unknown>>;
}

const above399 = (statuses: Readonly<Record<string, number>>): number =>
  Object.entries(statuses).reduce((sum, [code, count]) => (Number(code) > 399 ? sum + count : sum), 0);

function agree(what: string, told: unknown, ours: number): void {
  if (told !== undefined && told !== ours) unparsed("wrk", `two numbers of ${what}`, `${ours}, ${String(told)}`);
}
