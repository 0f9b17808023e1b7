import {
  checkBenchmark,
  drawn,
  fault,
  lineOf,
  plainScenario,
  resolveScenario,
  type Fault,
  type GatewayAdapter,
  type GeneratorAdapter,
  type Load,
  type NamedScenario,
  type Protocol,
  type Scenario,
} from "@gatebench/core";
import { direct } from "@gatebench/gateways";
import { generators } from "@gatebench/generators";
import type { PlannedBenchmark, PlannedTarget } from "./expansion";

/** The path without a gateway. */
export const baselineAdapter = direct();
export const baselineName = baselineAdapter.name;

type Asked = Pick<NamedScenario, "scenario" | "connection">;

/** Scenarios with the same connections, scheme, upstream and request: these stand in one round and share a baseline. */
export function groupsOf<A extends Asked>(asked: readonly A[]): readonly (readonly A[])[] {
  const groups = new Map<string, A[]>();
  for (const one of asked) {
    const { connection, scenario } = one;
    const key = JSON.stringify([connection, plainScenario(scenario), resolveScenario(scenario).upstream.count]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** What a group is measured with. */
export interface Means {
  readonly generator: GeneratorAdapter;
  /** Hosts given for its workers. */
  readonly workers: number;
  readonly load: Load;
  readonly protocol: Protocol;
  /** Whether the hosts are nodes of a cluster, in which charts can be released. @default false */
  readonly isCluster?: boolean;
}

/** A row that this gateway or generator cannot do. */
export interface Refused {
  readonly target: PlannedTarget;
  readonly reason: string;
  readonly faults: readonly Fault[];
}

/** A group as it can be measured, and what of it cannot be. */
export interface PlannedGroup {
  readonly benchmark: PlannedBenchmark;
  readonly refused: readonly Refused[];
  /** What is wrong with what was asked for, whoever does it. */
  readonly faults: readonly Fault[];
}

/** What is wrong with one target by these means. */
export type Judge = (target: PlannedTarget, means: Means) => readonly Fault[];

export const judged: Judge = (target, means) => {
  const faults = checkBenchmark({ ...means, targets: [target], others: allGenerators() });
  return faults.length > 0 ? faults : placeFaults(target, means);
};

function placeFaults({ adapter, scenario }: PlannedTarget, { isCluster = false }: Means): readonly Fault[] {
  if (isCluster || drawn(adapter, scenario).kind === "containers") return [];
  return [
    fault(
      "unsupported-host",
      `${adapter.name} is a cluster deployment, and this topology runs containers. Leave ${adapter.name} out, or measure it on eks.`,
    ),
  ];
}

let ours: readonly GeneratorAdapter[] | undefined;
export const allGenerators = (): readonly GeneratorAdapter[] =>
  (ours ??= Object.values(generators).map((make) => make()));

/** Gateways × the scenarios of a group, beside the path without a gateway. */
export function planGroup(
  name: string,
  group: readonly Asked[],
  adapters: readonly GatewayAdapter[],
  means: Means,
  judge: Judge = judged,
): PlannedGroup {
  const [{ scenario: base }] = group as [Asked, ...Asked[]];
  const { generator, load, workers } = means;
  const baseline: PlannedTarget = { name: baselineName, adapter: baselineAdapter, scenario: plainScenario(base) };
  const rows = [baseline, ...rowsOf(group, adapters)].map((target) => ({ target, faults: judge(target, means) }));
  const refused = rows.filter(({ faults }) => faults.length > 0 && faults.every(isRefusal));
  const targets = rows.map(({ target }) => target).filter((one) => !refused.some(({ target }) => target === one));
  return {
    benchmark: { name, generator, workers, load, base, targets },
    refused: refused
      .filter(({ target }) => target !== baseline || isOnlyBaseline(adapters))
      .map(({ target, faults }) => ({ target, faults, reason: faults.map(lineOf).join(" ") })),
    faults: [...sameNames(targets), ...rows.flatMap(({ faults }) => (faults.every(isRefusal) ? [] : faults))],
  };
}

/** A group in which every gateway is skipped says nothing, unless the path without one is what was asked for. */
export const measures = ({ targets }: PlannedBenchmark, adapters: readonly GatewayAdapter[]): boolean =>
  targets.some(({ name }) => name !== baselineName || isOnlyBaseline(adapters));

const isOnlyBaseline = (adapters: readonly GatewayAdapter[]) => adapters.every(({ name }) => name === baselineName);

/** Something this gateway or this generator does not do: the rest can still be measured. */
const isRefusal = ({ code }: Fault): boolean => code.startsWith("unsupported-");

const rowsOf = (group: readonly Asked[], adapters: readonly GatewayAdapter[]): readonly PlannedTarget[] =>
  group.flatMap(({ scenario }) =>
    adapters
      .filter(({ name }) => name !== baselineName)
      .map((adapter) => ({ name: targetName(adapter, scenario), adapter, scenario })),
  );

/** Plain targets go by the gateway's name alone. */
const targetName = ({ name }: GatewayAdapter, scenario: Scenario): string =>
  scenario.name === "plain" ? name : `${name}-${scenario.name}`;

/** A gateway named like another one with its scenario. */
function sameNames(targets: readonly PlannedTarget[]): readonly Fault[] {
  const names = targets.map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return repeated.map((name) =>
    fault("invalid-adapter", `two rows would be named ${name}; rename the gateway, or leave one of them out.`),
  );
}
