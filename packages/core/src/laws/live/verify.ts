import type { Job, JobOutput, LiveLaw, LiveTarget, Probe, ResolvedScenario, Verification } from "../../contract";
import { liveLaws } from "./live-laws";
import { probeJob } from "./probe-job";
import { readObservations } from "./probe-output";
import { refusesResumptionById, refusesResumptionByTicket } from "./resumption-laws";

/** Everything that has to be tried before a target may be measured, as one job. */
export function verificationJob(
  scenario: ResolvedScenario,
  target: LiveTarget,
): { readonly job: Job; readonly probes: readonly Probe[] } {
  const probes = probesOf(scenario, target);
  return { job: probeJob(probes, target), probes };
}

/** What the job's output says of a target, law by law. Throws `unparsed-output` where it says nothing certain. */
export function verificationOf(
  name: string,
  scenario: ResolvedScenario,
  target: LiveTarget,
  output: JobOutput,
): Verification {
  const observations = readObservations(output, probesOf(scenario, target));
  const laws = lawsOf(scenario).map((law) => ({ law: law.name, finding: law.check(observations, scenario, target) }));
  return { target: name, laws };
}

/** Whether every handshake of this target was shown to be a full one: what a count of TLS transactions rests on. */
export function resumptionRefused({ laws }: Verification): boolean {
  const about = laws.filter(({ law }) => [refusesResumptionById.name, refusesResumptionByTicket.name].includes(law));
  return about.length > 0 && about.every(({ finding }) => finding.verdict === "held");
}

const lawsOf = (scenario: ResolvedScenario): readonly LiveLaw[] => liveLaws.filter((law) => law.appliesTo(scenario));

/** Each probe once, where it was first asked for. */
function probesOf(scenario: ResolvedScenario, target: LiveTarget): readonly Probe[] {
  const all = lawsOf(scenario).flatMap((law) => law.probes(scenario, target));
  return [...new Map(all.map((probe) => [probe.name, probe])).values()];
}
