import { figures, inFlightBound, warning, type Counters, type Warning } from "../contract";
import { allowedDifference, entryName, entryOf, one, runLimits, type RunFacts } from "./run-facts";

/** Whether connections were kept, or were not, as asked. */
export function connectionWarnings(facts: RunFacts): readonly Warning[] {
  const { asked, scenario, isBaseline, counters, workers } = facts;
  const reused = reusedConnections(facts);
  const bound = inFlightBound(asked);
  const keepsUpstream = !isBaseline && scenario.upstream.keepAlive;
  // A tool opens a few more connections than it keeps (hey 603 for 600): twice as many is a tool that does not keep them.
  const kept = asked.connection === "per-request" ? [] : notKept(`the ${entryName(facts)}`, entryOf(facts), 2 * bound);
  // Each worker keeps a pool to each upstream, and each pool may once have held everything in flight.
  const pools = bound * workers * scenario.upstream.count;
  return [
    ...one(reused && warning("connections-reused", "invalid", figures, reused)),
    ...kept,
    ...(keepsUpstream ? notKept("the upstream", counters?.upstream, pools) : []),
  ];
}

function notKept(of: string, counted: Counters | undefined, expected: number): readonly Warning[] {
  const { connections, requests } = counted ?? {};
  if (connections === undefined || requests === undefined) return [];
  const tooMany = connections > Math.max(expected, requests * runLimits.newConnections);
  return one(tooMany && warning("connections-not-kept", "indicative", figures, { of, connections, requests }));
}

/** Full handshakes where the server counts them, or else connections. */
export function connectionsOf(facts: RunFacts): number | undefined {
  const { handshakes, connections } = entryOf(facts) ?? {};
  return handshakes ?? connections ?? (facts.scenario.scheme === "http" ? facts.result.connectionsOpened : undefined);
}

/** Fewer connections than responses, though each was to have its own. */
export function reusedConnections(
  facts: RunFacts,
): { readonly connections: number; readonly requests: number } | undefined {
  const [connections, requests] = [connectionsOf(facts), facts.result.responses];
  if (facts.asked.connection !== "per-request" || connections === undefined) return undefined;
  return connections < requests - allowedDifference(facts) ? { connections, requests } : undefined;
}
