import type { Finding, LiveLaw, ResolvedScenario, TlsObservation, TlsProbe } from "../../contract";
import { breaks, counted, held, untested } from "./finding";
import { observed } from "./observed";

const attempts = 10;
const ways = ["id", "ticket"] as const;
type Way = (typeof ways)[number];
const words = { id: "by its ID", ticket: "by ticket" } as const;

const resumption = ({ tls }: ResolvedScenario, by: Way): TlsProbe => ({
  kind: "tls",
  name: `resume-${by}`,
  version: tls.version,
  resume: { by, times: attempts },
});

/** TLS 1.3 has tickets only; what its server keeps under an ID, the client sees as a ticket. */
const waysOf = ({ tls }: ResolvedScenario): readonly Way[] => (tls.version === "1.3" ? ["ticket"] : ways);

const refusesResumption = (by: Way): LiveLaw => ({
  name: `refuses to resume a TLS session ${words[by]}`,
  appliesTo: (scenario) => scenario.scheme === "https" && !scenario.tls.resumption && waysOf(scenario).includes(by),
  probes: (scenario) => [resumption(scenario, by)],
  check: (observations) => refusal(observed(observations, "tls", `resume-${by}`), by),
});

export const refusesResumptionById = refusesResumption("id");
export const refusesResumptionByTicket = refusesResumption("ticket");

/** Half of the attempts: worker processes that keep sessions to themselves resume fewer. */
export const resumesSessions: LiveLaw = {
  name: "resumes TLS sessions",
  appliesTo: ({ scheme, tls }) => scheme === "https" && tls.resumption,
  probes: (scenario) => waysOf(scenario).map((by) => resumption(scenario, by)),
  check: (observations, scenario) => {
    const seen = waysOf(scenario).map((by) => observed(observations, "tls", `resume-${by}`));
    if (!seen.some(({ connected }) => connected)) return untested("there was no handshake to resume");
    if (seen.some((one) => resumed(one) >= attempts / 2)) return held;
    return breaks(
      waysOf(scenario)
        .map((by, index) => sentence(seen[index] as TlsObservation, by))
        .join(", "),
    );
  },
};

function refusal(seen: TlsObservation, by: Way): Finding {
  if (!seen.connected) return untested("there was no handshake to resume");
  if (by === "ticket" && !seen.ticket) return held; // What is resumed without a ticket is resumed by ID.
  if (resumed(seen) > 0) return breaks(sentence(seen, by));
  return seen.error === undefined ? held : untested(`an attempt to resume failed: ${seen.error}`);
}

const resumed = ({ reused }: TlsObservation) => reused.filter(Boolean).length;

function sentence(seen: TlsObservation, by: Way): string {
  if (seen.reused.length === 0) return `no session was given that could be resumed ${words[by]}`;
  return `${resumed(seen)} of ${counted(seen.reused.length, "handshake")} resumed a session ${words[by]}`;
}
