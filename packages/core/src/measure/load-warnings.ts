import { askedRatePerS, figures, inFlightBound, warning, type Grade, type Warning } from "../contract";
import { attemptsOf, entryName, failuresOf, one, runLimits, type Counts, type RunFacts } from "./run-facts";
import { roleBusy } from "./usage";

/** Whether the load was as asked: answered, at the rate, in time. */
export function loadWarnings(facts: RunFacts): readonly Warning[] {
  return [
    ...errorWarnings(facts),
    ...lostWarnings(facts),
    ...rateWarnings(facts),
    ...generatorWarnings(facts),
    ...sampleWarnings(facts),
    ...stallWarnings(facts),
  ];
}

function errorWarnings(facts: RunFacts): readonly Warning[] {
  const { fraction, kinds } = failuresOf(facts);
  const seen = errorLimit(fraction, facts.result.errors);
  const isFinding = facts.purpose === "breaking-point" && !seen?.isGenerators;
  return one(
    seen && warning("errors", isFinding ? "sound" : seen.cap, figures, { fraction, allowed: seen.allowed, kinds }),
  );
}

/**
 * One of several upstreams that ended under the load. Where limits are sought that is what was found. Else the figures are wrong,
 * not unsure: for a part of the run, nobody knows how long, fewer servers stood behind the gateway than the figure is said of, and
 * what was sent to the lost one failed cheaply or was answered by its neighbours.
 */
function lostWarnings({ lost = [], purpose }: RunFacts): readonly Warning[] {
  const cap = purpose === "breaking-point" ? "sound" : "invalid";
  return lost.map(({ name, reason, oneOf }) => warning("upstream-lost", cap, figures, { of: name, oneOf, reason }));
}

interface ErrorLimit {
  readonly cap: Grade;
  readonly allowed: number;
  readonly isGenerators?: boolean;
}

/** The worst limit that errors break. */
function errorLimit(fraction: number, errors: Counts): ErrorLimit | undefined {
  // Without ports or files the generator sent less than was asked, whatever the gateway did.
  if ((errors.ports ?? 0) + (errors.files ?? 0) > 0) return { cap: "invalid", allowed: 0, isGenerators: true };
  // Failing is cheaper than answering: beyond this, rate and latency are those of another workload.
  if (fraction > runLimits.overload) return { cap: "invalid", allowed: runLimits.errors };
  if (fraction > runLimits.errors) return { cap: "indicative", allowed: runLimits.errors };
  // A connection that was refused is missing for the rest of the run: wrk goes on with fewer than were asked for.
  return (errors.connect ?? 0) > 0 ? { cap: "indicative", allowed: 0 } : undefined;
}

function rateWarnings(facts: RunFacts): readonly Warning[] {
  const { asked, result } = facts;
  const attempts = attemptsOf(result);
  const [askedPerS, achievedPerS] = [askedRatePerS(asked) ?? 0, attempts / result.durationS];
  const iterations = result.dropped ?? 0;
  const cap = notAsAskedCap(facts);
  const missed = achievedPerS < askedPerS * runLimits.rateReached;
  const dropped = iterations > (attempts + iterations) * runLimits.dropped;
  return [
    ...one(missed && warning("rate-missed", cap, figures, { askedPerS, achievedPerS })),
    ...one(dropped && warning("dropped", cap, figures, { iterations })),
  ];
}

/** Less than was asked: a finding where limits are sought, the gateway's or machine's where it was full, else the generator's. */
function notAsAskedCap(facts: RunFacts): Grade {
  if (facts.purpose === "ceiling" || facts.purpose === "breaking-point") return "sound";
  const { hosts, result } = facts;
  const role = entryName(facts);
  const workers = roleBusy(hosts, role, result);
  const machine = hosts.find(({ roles }) => roles.includes(role))?.cpuFraction;
  if (workers === undefined && machine === undefined) return "indicative";
  const full = (workers ?? 0) >= runLimits.gatewayFull || (machine ?? 0) >= runLimits.machineFull;
  return full ? "indicative" : "invalid";
}

/** A generator that fell behind, or lost a part of itself, sent another load than was asked, whatever was sought. */
function generatorWarnings({ result, asked }: RunFacts): readonly Warning[] {
  const { overloaded, processes, connectionsMissing: missing = 0 } = result;
  const opened = asked.model === "closed" ? asked.connections : inFlightBound(asked);
  return [
    ...one(overloaded !== undefined && warning("generator-overloaded", "invalid", figures, { said: overloaded })),
    ...one(missing > 0 && warning("connections-missing", "invalid", figures, { asked: opened, missing })),
    ...one(
      processes !== undefined &&
        processes.reported < processes.asked &&
        warning("workers-lost", "invalid", figures, processes),
    ),
  ];
}

/**
 * A closed load waits with the server: of all the requests a stall held up, it times one for each connection. Where the
 * others would have been enough to move a P99, the P99 is not what users would have seen.
 */
function stallWarnings({ asked, result }: RunFacts): readonly Warning[] {
  const { latencyMs, latencyBasis, responses, durationS } = result;
  const { max, p99 } = latencyMs;
  if (asked.model === "open" || latencyBasis.omission !== "none" || max === null || p99 === null) return [];
  const unsent = ((max - p99) / 1000) * (responses / durationS) - inFlightBound(asked);
  const hidden = unsent > runLimits.hidden * responses;
  return one(hidden && warning("stall-hidden", "sound", ["p99Ms"], { stallMs: max, unsent }));
}

/** hey keeps its first 1,000,000 latencies (`maxRes`). */
const heyCap = 1_000_000;

function sampleWarnings({ result }: RunFacts): readonly Warning[] {
  const cap = result.latencyBasis.samples ?? heyCap;
  return one(result.caveats.includes("sample-cap") && warning("samples-capped", "indicative", ["p99Ms"], { cap }));
}
