import { checkScenario, fault, isFault, listed, scenarioNamed, scenarios, type Scenario } from "@gatebench/core";
import { atPath, invalid, together, twins, type Resolved } from "./file-faults";
import type { FileFault, MatrixScenario } from "./matrix";
import type { MatrixFile } from "./matrix-file";
import { didYouMean } from "./nearest";

type Asked = MatrixFile["scenarios"][number];

/** Scenarios by name, or as they are written. */
export function resolveScenarios(asked: readonly Asked[]): Resolved<MatrixScenario> {
  const { found, faults } = together(
    asked.map((one, at) => (typeof one === "string" ? byName(one, at) : inFull(one, at))),
  );
  const names = asked.map((one) => (typeof one === "string" ? one : one.name));
  return { found, faults: [...faults, ...twins(names, (at) => ["scenarios", at], "Leave one out, or rename one.")] };
}

function byName(name: string, at: number): Resolved<MatrixScenario> {
  const named = scenarioNamed(name);
  return isFault(named) ? { found: [], faults: [unknown(name, at)] } : { found: [named], faults: [] };
}

function unknown(name: string, at: number): FileFault {
  const names = Object.keys(scenarios);
  const message = `"${name}" is not a scenario${didYouMean(name, names) || "."} Known: ${listed(names)}. Or write one in full.`;
  return { ...fault("unknown-scenario", message), at: ["scenarios", at] };
}

function inFull({ connection, ...asked }: Exclude<Asked, string>, at: number): Resolved<MatrixScenario> {
  const scenario = asked as Scenario;
  const faults = [
    ...checkScenario(scenario).map(atPath(["scenarios", at])),
    ...(Object.hasOwn(scenarios, scenario.name) ? [takenName(scenario.name, at)] : []),
  ];
  return { found: [{ scenario, connection }], faults };
}

const takenName = (name: string, at: number): FileFault =>
  invalid(
    ["scenarios", at, "name"],
    `"${name}" is a scenario of ours, and this one says something of its own. Give it another name, or write only the name.`,
  );
