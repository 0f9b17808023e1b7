import { fault, FaultError, secondsOf, type RateLimit } from "@gatebench/core/contract";

/** nginx takes whole requests per second or per minute; anything between would be another limit than the one asked for. */
export function rateOf(gateway: string, { requests, per }: RateLimit): string {
  const perS = requests / secondsOf(per);
  if (isWhole(perS)) return `${Math.round(perS)}r/s`;
  if (isWhole(perS * 60)) return `${Math.round(perS * 60)}r/m`;
  throw new FaultError([
    fault(
      "unsupported-policy",
      `${gateway} cannot limit to ${requests} requests per ${per}: it counts whole requests per second or per minute. Choose such a limit, or leave ${gateway} out of this row of the matrix.`,
    ),
  ]);
}

const isWhole = (value: number) => Math.abs(value - Math.round(value)) < 1e-9 && Math.round(value) > 0;
