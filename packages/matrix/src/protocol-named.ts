import type { Protocol } from "@gatebench/core";
import { repeat, saturate, untilStable, type Pacing } from "@gatebench/core/measure";

export const protocolNames = ["repeat", "until-stable", "saturate"] as const;

/** @param repetitions  Measured runs; of "until-stable" the most. */
export function protocolNamed(name: (typeof protocolNames)[number], repetitions: number, pacing: Pacing): Protocol {
  if (name === "until-stable") return untilStable({ max: repetitions, ...pacing });
  return (name === "saturate" ? saturate : repeat)({ runs: repetitions, ...pacing });
}
