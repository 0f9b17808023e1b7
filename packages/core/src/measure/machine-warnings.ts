import { figures, warning, type Grade, type HostUsage, type LoadResult, type Warning } from "../contract";
import { one, runLimits, sum, type RunFacts } from "./run-facts";
import { roleBusy } from "./usage";

/** Whether the machines had room, and were left alone. */
export function machineWarnings(facts: RunFacts): readonly Warning[] {
  return [...cpuWarnings(facts), ...hostWarnings(facts)];
}

const measuredRoles = ["upstream", "gateway", "generator"];
const isShared = ({ roles }: HostUsage): boolean => roles.filter((role) => measuredRoles.includes(role)).length > 1;

function cpuWarnings(facts: RunFacts): readonly Warning[] {
  const { hosts, isBaseline } = facts;
  const full = hosts.filter(isShared).filter(({ cpuFraction }) => cpuFraction >= runLimits.machineFull);
  return [
    ...busyWarnings(facts, "generator", "generator-busy"),
    // Behind nothing, the upstream is what is being measured.
    ...(isBaseline ? [] : busyWarnings(facts, "upstream", "upstream-busy")),
    ...full.map(({ cpuFraction }) => warning("host-saturated", "indicative", figures, { cpuFraction })),
    ...one(
      !hosts.some(({ roles }) => roles.includes("generator")) &&
        warning("counters-missing", "indicative", figures, { of: "the sampler on the generator's host" }),
    ),
  ];
}

/** Above 70 % it is said, above 80 % the figures may be its own; where the path's ceiling is sought, that is the result. */
function busyWarnings(facts: RunFacts, role: string, code: "generator-busy" | "upstream-busy"): readonly Warning[] {
  const busiest = Math.max(0, ...facts.hosts.map((host) => busyOn(host, role, facts.result)));
  const isFull = busiest > runLimits.cpuFull;
  const cap: Grade = isFull && facts.purpose !== "ceiling" ? "indicative" : "sound";
  const limit = isFull ? runLimits.cpuFull : runLimits.cpuComfortable;
  return one(busiest > runLimits.cpuComfortable && warning(code, cap, figures, { cpuFraction: busiest, limit }));
}

/** On a machine of its own the busiest CPU counts (a tool's thread fills one); on a shared one only its own workloads. */
function busyOn(host: HostUsage, role: string, result: LoadResult): number {
  if (!host.roles.includes(role)) return 0;
  return isShared(host) ? (roleBusy([host], role, result) ?? 0) : Math.max(host.cpuFraction, host.busiestCpuFraction);
}

function hostWarnings({ hosts, purpose, result }: RunFacts): readonly Warning[] {
  const steal = Math.max(0, ...hosts.map((host) => host.stealFraction));
  const again = Math.max(0, ...hosts.map(({ tcp }) => tcp.retransmittedSegments / Math.max(1, tcp.sentSegments)));
  const drops = sum(hosts.map(({ tcp }) => tcp.listenOverflows));
  const overflow: Grade = purpose === "breaking-point" ? "sound" : "indicative";
  return [
    ...one(steal > runLimits.steal && warning("steal", "indicative", figures, { fraction: steal })),
    ...one(again > runLimits.retransmits && warning("retransmits", "indicative", ["p99Ms"], { fraction: again })),
    ...hosts.flatMap(allowanceWarnings),
    ...hosts.flatMap((host) => idleWarnings(host, result)),
    ...one(drops > 0 && warning("accept-queue-overflow", overflow, figures, { drops })),
  ];
}

/** A process's CPU is counted in ticks of 10 ms: this much it may be off at both ends of a run. */
const ticksS = 0.02;

/** What waits for its turn takes nothing from the one that is measured. */
function idleWarnings({ idle = {} }: HostUsage, { durationS }: LoadResult): readonly Warning[] {
  const limit = runLimits.idleCpu;
  return Object.entries(idle)
    .filter(([, cpuS]) => cpuS > limit * durationS + ticksS)
    .map(([of, cpuS]) => warning("not-idle", "indicative", figures, { of, cpuFraction: cpuS / durationS, limit }));
}

/** Traffic that a cloud's network card held back: what a larger machine would have carried. */
function allowanceWarnings({ host, allowance }: HostUsage): readonly Warning[] {
  const exceeded = Object.entries(allowance ?? {}).filter(([, count]) => count > 0);
  const by = exceeded.map(([name, count]) => `${count} ${name}`).join(", ");
  return one(exceeded.length > 0 && warning("allowance-exceeded", "indicative", figures, { host, by }));
}
