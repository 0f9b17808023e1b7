import { warning, type Figure, type Load, type ResolvedScenario, type Warning } from "../contract";
import { connectionsOf, reusedConnections } from "./connection-warnings";
import { allowedDifference, countsRamp, entryName, entryOf, failuresOf, one, type RunFacts } from "./run-facts";

/** Whether a load and a scenario ask for TLS transactions: a full handshake for each request. */
export function asksTlsTps(load: Load, { scheme, tls }: Pick<ResolvedScenario, "scheme" | "tls">): boolean {
  return scheme === "https" && load.connection === "per-request" && !tls.resumption;
}

/**
 * TLS transactions per second: responses per second, where each had a connection of its own with a full handshake.
 *
 * undefined unless the server counted as many connections as the generator responses, none of the requests failed, and
 * sessions were shown not to be resumed: tools resume silently, and a resumed "transaction" is up to 5.6 times as cheap.
 */
export function tlsTpsOf(facts: RunFacts): number | undefined {
  const { asked, scenario, result } = facts;
  const shown = asksTlsTps(asked, scenario) && tlsWarnings(facts).length === 0 && !reusedConnections(facts);
  return shown && failuresOf(facts).count === 0 ? result.responses / result.durationS : undefined;
}

/** What stands against counting TLS transactions, beside too few connections. */
export function tlsWarnings(facts: RunFacts): readonly Warning[] {
  if (!asksTlsTps(facts.asked, facts.scenario)) return [];
  const only: readonly Figure[] = ["tlsTps"];
  const { count, fraction, kinds } = failuresOf(facts);
  return [
    ...one(count > 0 && warning("errors", "invalid", only, { fraction, allowed: 0, kinds })),
    ...handshakeWarnings(facts, only),
    ...one(!facts.resumptionRefused && warning("not-verified", "invalid", only, unshown)),
  ];
}

const unshown = { law: "TLS sessions are not resumed", reason: "a resumed session is not a handshake" } as const;

function handshakeWarnings(facts: RunFacts, only: readonly Figure[]): readonly Warning[] {
  const [connections, responses] = [connectionsOf(facts), facts.result.responses];
  const resumptions = entryOf(facts)?.resumptions ?? 0;
  if (connections === undefined) {
    return [warning("counters-missing", "invalid", only, { of: `the connections of the ${entryName(facts)}` })];
  }
  const allowed = allowedDifference(facts) + (facts.emptyConnections ?? 0);
  const tooMany = countsRamp(facts) && connections > responses + allowed;
  const seen = { left: responses, right: connections, allowed };
  const full = { connections: connections - resumptions, requests: responses };
  return [
    ...one(tooMany && warning("counts-disagree", "invalid", only, { between: "responses and connections", ...seen })),
    ...one(resumptions > 0 && warning("connections-reused", "invalid", only, full)),
  ];
}
