import { refuse, resultOf, type Run, type Step } from "@gatebench/core";
import { missingBinaries } from "@gatebench/core/local";
import { holdCheckout } from "../checkout-lock";
import { engineText, machine } from "../machine";
import { openProgress } from "../progress";
import { jsonFileFaults, openResultsFolder, resultsFolderFaults, writeJsonFile } from "../results-folder";
import { version } from "../version";
import { effortOf, type Effort, type FidelityOptions } from "./fidelity-options";
import { binariesOf, pacedAt, planFidelity, saturated, type FidelityPlan } from "./fidelity-plan";
import { fidelityTable } from "./fidelity-table";
import {
  harnessFinding,
  isSettled,
  pacedFinding,
  saturatedFinding,
  telling,
  toolFinding,
  type HarnessFinding,
  type PacedFinding,
  type Pairs,
  type SaturatedFinding,
  type ToolFinding,
} from "./findings";
import { Rig } from "./rig";
import type { Course } from "./rig-program";
import { inTurns } from "./turns";

/** What gatebench itself takes from a measurement. */
export interface Fidelity {
  readonly schema: "gatebench/fidelity/v1";
  readonly startedAt: string;
  readonly endedAt: string;
  readonly gatebench: string;
  readonly engine: string;
  readonly machine: ReturnType<typeof machine>;
  readonly gateway: string;
  readonly generators: { readonly paced: string; readonly saturated: string };
  readonly quick: boolean;
  /** All four of them. */
  readonly held: boolean;
  readonly tool: ToolFinding;
  readonly harness: HarnessFinding;
  readonly paced: PacedFinding;
  readonly saturated: SaturatedFinding;
}

/** Sends the same load through the engine and by hand, in turns, and compares whatever could differ. */
export async function fidelity(options: FidelityOptions): Promise<Fidelity> {
  const plan = await planFidelity(options);
  refuse([
    ...missingBinaries(binariesOf(plan)),
    ...resultsFolderFaults(options.results),
    ...(options.json === undefined ? [] : jsonFileFaults(options.json)),
  ]);
  const release = holdCheckout();
  try {
    return await compared(plan, options);
  } finally {
    release();
  }
}

async function compared(plan: FidelityPlan, options: FidelityOptions): Promise<Fidelity> {
  const startedAt = new Date();
  const results = openResultsFolder(options.results, startedAt);
  const effort = effortOf(options);
  const progress = openProgress(...extentOf(effort));
  const rig = new Rig(plan, results, progress);
  const taken = await takePairs(rig, effort).finally(async () => {
    await rig.close();
    progress.end();
  });
  const found: Fidelity = {
    schema: "gatebench/fidelity/v1",
    startedAt: startedAt.toISOString(),
    endedAt: new Date().toISOString(),
    gatebench: version,
    engine: engineText(),
    machine: machine(),
    gateway: plan.gateway.name,
    generators: { paced: plan.pacing.name, saturated: plan.saturating.name },
    quick: options.quick,
    ...findingsOf(taken, effort.paced.wanted),
  };
  writeJsonFile(`${results.path}/fidelity.json`, found);
  if (options.json !== undefined) writeJsonFile(options.json, found);
  process.stdout.write(`\n${fidelityTable(found)}\n\nresults: ${results.path}\n`);
  return found;
}

interface Taken {
  readonly offeredRps: number;
  readonly paced: Pairs;
  readonly saturated: Pairs;
}

/** Both warm up, the pacing generator shows what it can send; then all pairs of one load, and all of the other. */
async function takePairs(rig: Rig, effort: Effort): Promise<Taken> {
  const warmUp: Step = { load: saturated, purpose: "warm-up" };
  const probe: Step = { load: saturated, purpose: "probe" };
  const first = await rig.begin({ paced: [warmUp, probe], saturated: [warmUp] });
  const load = pacedAt(resultOf(first.paced.at(-1) as Run)?.rps as number);
  const take = (course: Course, step: Step, enough: (pairs: Pairs) => boolean) => {
    const gatebench = (runs: number) => rig.gatebench(course, step, runs);
    const byHand = (runs: number) => rig.byHand(course, runs);
    return inTurns(effort[course].atMost, { gatebench, byHand }, enough);
  };
  return {
    offeredRps: load.pacePerConnection * load.connections,
    paced: await take("paced", { load, purpose: "measure" }, (pairs) => telling(pairs).length >= effort.paced.wanted),
    saturated: await take("saturated", { load: saturated, purpose: "measure" }, isSettled),
  };
}

function findingsOf({ paced, saturated: fast, offeredRps }: Taken, wantedPaced: number) {
  const found = {
    tool: toolFinding([...paced, ...fast]),
    harness: harnessFinding([...paced, ...fast]),
    paced: pacedFinding(paced, offeredRps, wantedPaced),
    saturated: saturatedFinding(fast),
  };
  return { held: Object.values(found).every(({ verdict }) => verdict === "held"), ...found };
}

/** Runs through the engine and their seconds: three of a second before the pairs, and where nothing disturbs them. */
function extentOf({ paced, saturated: fast }: Effort): [runs: number, seconds: number] {
  return [3 + paced.wanted + fast.atMost, 3 + 2 * paced.wanted + fast.atMost];
}
