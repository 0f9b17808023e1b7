import type { LoadResult } from "@gatebench/core";

/** A number as a tool printed it: the true one lies no further away than `within`. */
interface Printed {
  readonly value: number;
  readonly within: number;
}

/** The two figures a person looks for in a tool's output. */
export interface OwnFigures {
  readonly rps: Printed;
  readonly p99Ms: Printed;
}

/**
 * What a tool says itself, read with the eyes of a person: one line, one number. It shares nothing with the adapters,
 * so that a mistake of theirs would show. A tool that is not here is not compared.
 */
const readers: Readonly<Record<string, (stdout: string) => OwnFigures>> = { wrk: ofWrk, hey: ofHey };

export function ownFigures(tool: string, stdout: string): OwnFigures | undefined {
  return readers[tool]?.(stdout);
}

const unitMs: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1e3, m: 60e3, h: 3600e3 };

/** wrk's own text, which stands beside the lines of our script: "Requests/sec:  71234.56", "99%    1.23ms". */
function ofWrk(stdout: string): OwnFigures {
  const rate = found(stdout, /^Requests\/sec:\s+(\d+\.\d+)$/m);
  const p99 = found(stdout, /^\s+99%\s+(\d+\.\d+(?:us|ms|s|m|h))$/m);
  const unit = unitMs[p99.replace(/[\d.]/g, "")] as number;
  return {
    rps: { value: Number(rate), within: 0.00501 },
    p99Ms: { value: parseFloat(p99) * unit, within: 0.00501 * unit },
  };
}

/** Values hey put into the template: exact, seconds. */
function ofHey(stdout: string): OwnFigures {
  const rate = Number(found(stdout, /"rps":([\d.e+-]+),/));
  const p99 = Number(found(stdout, /"Percentage":99,"Latency":([\d.e+-]+)\}/)) * 1e3;
  return { rps: { value: rate, within: rate * 1e-9 }, p99Ms: { value: p99, within: 1e-6 } };
}

function found(text: string, form: RegExp): string {
  const match = form.exec(text)?.[1];
  if (match === undefined) throw new Error(`the tool's output has no line of the form ${form}`);
  return match;
}

/** Everything in which a result is not what the tool said, one line each. */
export function misreadings(own: OwnFigures, result: Pick<LoadResult, "rps" | "latencyMs">): readonly string[] {
  return [
    ...misread("requests per second", own.rps, result.rps),
    ...misread("P99 in ms", own.p99Ms, result.latencyMs.p99),
  ];
}

function misread(what: string, { value, within }: Printed, stated: number | null): readonly string[] {
  const same = stated !== null && Math.abs(stated - value) <= within;
  return same ? [] : [`${what}: the tool printed ${value}, the result states ${stated ?? "nothing"}`];
}
