import {
  fault,
  resultOf,
  type ClosedLoad,
  type Fault,
  type Load,
  type Protocol,
  type Run,
  type Step,
} from "../contract";
import { runLimits } from "./run-facts";
import { roleBusy } from "./usage";
import { measured, ofPurpose, paced, shortly, warmUpsOf, type Pacing } from "./warm-up";

export interface SaturateOptions extends Pacing {
  /** Connections of the first probe. @default 16, TechEmpower's lowest level */
  readonly from?: number;
  /** No probe has more. @default 512, TechEmpower's highest level */
  readonly maxConnections?: number;
  /** Doubling the connections must gain more than this fraction to go on. @default 0.03 */
  readonly gain?: number;
  /** The gateway is full when its workers are so busy, of 1. @default 0.95 */
  readonly busy?: number;
  /** Measured runs at the connections found. @default 5 */
  readonly runs?: number;
}

/**
 * Raises the connections of a closed load until the gateway is full, then measures there.
 *
 * Probes of at most 15 s double the connections. The first that keeps the gateway's workers busy is where it measures;
 * where doubling gains next to nothing, it measures before the doubling: the fewest connections that carry as much. A
 * failed probe ends the climb, and the last good one is measured; where even the first failed, nothing is. A failed
 * measured run counts as a try. Neither more `runs` nor a higher bound, once the gateway was full, changes an earlier run.
 */
export function saturate(options: SaturateOptions = {}): Protocol {
  const { from = 16, maxConnections = 512, gain = 0.03, busy = runLimits.gatewayFull, runs = 5, ...pacing } = options;
  const climb = { from, maxConnections, gain, busy };
  const probes = Math.floor(Math.log2(maxConnections / from)) + 1;
  return {
    name: `saturate(${from} to ${maxConnections} connections)`,
    maxRuns: warmUpsOf(pacing) + probes + runs,
    faults: (load) => faultsOf(load, climb),
    next: (load, history) => {
      const step = load.model === "closed" ? nextStep(load, history, climb, runs) : undefined;
      return paced(step, withConnections(load, from), history, pacing);
    },
    answer: measured,
    missed: (history) => missedBy(history, climb),
  };
}

/** The connections with which it measured; undefined where it has not come so far. */
export function saturatedAt(history: readonly Run[]): number | undefined {
  return history.filter(({ purpose }) => purpose === "measure").map(connectionsOf)[0];
}

type Climb = Required<Pick<SaturateOptions, "from" | "maxConnections" | "gain" | "busy">>;
/** What the probes so far say: go on with more connections, or stop at some (undefined: at none). */
type Finding =
  | { readonly probe: number }
  | { readonly stopAt: number | undefined; readonly because: "busy" | "no gain" | "bound" | "failed" };

function nextStep(load: ClosedLoad, history: readonly Run[], climb: Climb, runs: number): Step | undefined {
  const finding = findingOf(ofPurpose(history, "probe"), climb);
  if ("probe" in finding) return { load: withConnections(shortly(load), finding.probe), purpose: "probe" };
  const due = finding.stopAt !== undefined && ofPurpose(history, "measure").length < runs;
  return due ? { load: withConnections(load, finding.stopAt), purpose: "measure" } : undefined;
}

function findingOf(probes: readonly Run[], { from, maxConnections, gain, busy }: Climb): Finding {
  const [before, last] = [probes[probes.length - 2], probes[probes.length - 1]];
  if (!last) return { probe: from };
  const connections = connectionsOf(last);
  if (!resultOf(last)) return { stopAt: before && connectionsOf(before), because: "failed" };
  if (busyFraction(last) >= busy) return { stopAt: connections, because: "busy" };
  if (before && rpsOf(last) < rpsOf(before) * (1 + gain)) return { stopAt: connectionsOf(before), because: "no gain" };
  if (2 * connections > maxConnections) return { stopAt: connections, because: "bound" };
  return { probe: 2 * connections };
}

const rpsOf = (run: Run): number => resultOf(run)?.rps ?? 0;
const connectionsOf = ({ asked }: Run): number => (asked.model === "closed" ? asked.connections : 0);

/** 0 where no gateway was observed (the path without one): only the gain can stop the climb. */
function busyFraction(run: Run): number {
  const result = resultOf(run);
  return (result && roleBusy(run.hosts, "gateway", result)) ?? 0;
}

/** The load with other connections; each thread needs at least one. */
function withConnections<L extends Load>(load: L, connections: number): L {
  if (load.model !== "closed") return load;
  const threads = load.threads === undefined ? {} : { threads: Math.min(load.threads, connections) };
  return { ...load, connections, ...threads };
}

function missedBy(history: readonly Run[], climb: Climb): string | undefined {
  const probes = ofPurpose(history, "probe");
  const finding = findingOf(probes, climb);
  if ("probe" in finding) return "the gateway was probed to the end";
  if (finding.because === "failed")
    return `its probe with ${connectionsOf(probes.at(-1) as Run)} connections gave figures`;
  return finding.because === "bound"
    ? `the gateway was full with at most ${climb.maxConnections} connections`
    : undefined;
}

function faultsOf(load: Load, { from, maxConnections }: Climb): readonly Fault[] {
  const faults = [
    load.model !== "closed" &&
      `saturate raises the connections of a closed load; this one is of model "${load.model}". Give a closed load, or another protocol.`,
    load.model === "closed" &&
      load.pacePerConnection !== undefined &&
      "saturate cannot fill a gateway with connections that are held to a pace. Drop pacePerConnection.",
    !(from >= 1 && from <= maxConnections) &&
      `saturate begins with ${from} connections and may not go beyond ${maxConnections}. Raise maxConnections, or lower from.`,
  ];
  return faults.filter((message) => message !== false).map((message) => fault("invalid-protocol", message));
}
