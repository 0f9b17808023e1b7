import { FaultError, secondsOf, type Protocol } from "@gatebench/core";
import { protocolNamed } from "../protocol-named";
import { invalid } from "./file-faults";
import { parallelFaults } from "./lane-faults";
import { machineFaults } from "./machine-faults";
import type { FileFault, Matrix } from "./matrix";
import type { MatrixFile } from "./matrix-file";
import { resolveGateways, resolveGenerators } from "./resolve-adapters";
import { resolveLoads } from "./resolve-loads";
import { resolvePlaces } from "./resolve-places";
import { isRented } from "./topology-asked";
import { resolveScenarios } from "./resolve-scenarios";
import { ruleFaults } from "./rule-faults";

/** A file with every name looked up, from its folder. Throws all that is wrong at once, each with its path in the file. */
export async function resolveMatrix(file: MatrixFile, folder: string): Promise<Matrix> {
  const protocol = protocolOf(file);
  const gateways = await resolveGateways(file.gateways, folder);
  const generators = await resolveGenerators(file.generators, folder);
  const scenarios = resolveScenarios(file.scenarios);
  const loads = resolveLoads(file.loads, protocol);
  const places = resolvePlaces(file.topologies, folder);
  const matrix: Matrix = {
    ...{ name: file.name, file, protocol },
    gateways: gateways.found,
    scenarios: scenarios.found,
    generators: generators.found,
    loads: loads.found,
    places: places.found,
  };
  const named = [gateways, generators, scenarios, loads, places].flatMap(({ faults }) => faults);
  const rules = named.length > 0 ? [] : ruleFaults(matrix);
  refuse([
    ...named,
    ...rules,
    ...machineFaults(file, folder),
    ...parallelFaults(file),
    ...roundFaults(file),
    ...authorizerFaults(matrix),
  ]);
  return matrix;
}

/** Not the core's, for which two faults of one wording are one: these have paths. */
function refuse(faults: readonly FileFault[]): void {
  if (faults.length > 0) throw new FaultError(faults);
}

/** Each deployment of "redeployed" rounds measures once: the rounds are the repetitions. */
function protocolOf({ protocol, rounds, repetitions, warmUp, coolDown }: MatrixFile): Protocol {
  const pacing = { warmUp: secondsOf(warmUp) > 0 ? warmUp : (false as const), coolDown };
  return protocolNamed(protocol, rounds === "redeployed" ? 1 : repetitions, pacing);
}

/** On hosts that run containers an authorizer is an image, and no registry has it. */
function authorizerFaults({ file, scenarios }: Matrix): readonly FileFault[] {
  if (scenarios.every(({ scenario }) => scenario.auth !== "external")) return [];
  return file.topologies.flatMap((topology, index) => {
    const at = ["topologies", index];
    if (topology.kind === "ssh")
      return [
        invalid(
          [...at, "kind"],
          "no authorizer can be started there; leave scenarios with auth: external out, or choose another kind.",
        ),
      ];
    return isRented(topology) && topology.authorizerImage === undefined
      ? [
          invalid(
            at,
            'a scenario has auth "external", and no public registry has an authorizer. Build one from services/Dockerfile, and give its "authorizerImage".',
          ),
        ]
      : [];
  });
}

const roundFaults = ({ protocol, rounds }: MatrixFile): readonly FileFault[] =>
  rounds === "redeployed" && protocol !== "repeat"
    ? [
        invalid(
          ["rounds"],
          `a redeployed round measures once, and ${protocol} looks at several runs. Give "protocol: repeat", or "rounds: kept".`,
        ),
      ]
    : [];
