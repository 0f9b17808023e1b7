import { lineOf, type Fault, type GatewayAdapter, type Load } from "@gatebench/core";
import { cellIds } from "./cell-id";
import type { Expansion, Lane, PlannedBenchmark, PlannedCell, PlannedTarget, SkippedCell } from "./expansion";
import type {
  FileFault,
  Matrix,
  MatrixGateway,
  MatrixGenerator,
  MatrixLoad,
  MatrixScenario,
  Place,
} from "../matrix-file/matrix";
import type { Rule } from "../matrix-file/rule";
import { baselineAdapter, baselineName, groupsOf, judged, measures, planGroup, type Judge } from "./plan-group";
import { once } from "../once";
import { topologyName } from "../matrix-file/resolve-places";

/** All cells of a matrix by lane, what of it is not measured, and what is wrong with it. Creates nothing, asks nobody. */
export function expand(matrix: Matrix): Expansion {
  const judge = judgedOnce();
  const idOf = cellIds(matrix);
  const lanes = matrix.places.map((place) => laneOf(place, matrix, judge, idOf));
  return {
    lanes: lanes.map(({ lane }) => lane).filter(({ cells }) => cells.length > 0),
    cells: lanes.flatMap(({ lane }) => lane.cells),
    skipped: lanes.flatMap(({ skipped }) => skipped),
    faults: [...new Map(lanes.flatMap(({ faults }) => faults).map((one) => [lineOf(one), one])).values()],
  };
}

type IdOf = ReturnType<typeof cellIds>;

interface PlannedLane {
  readonly lane: Lane;
  readonly skipped: readonly SkippedCell[];
  readonly faults: readonly FileFault[];
}

function laneOf(place: Place, matrix: Matrix, judge: Judge, idOf: IdOf): PlannedLane {
  const parts = matrix.generators.flatMap((generator) =>
    matrix.loads.flatMap((load) =>
      groupsOf(matrix.scenarios).map((group) => new Part(matrix, place, generator, load, group, judge, idOf)),
    ),
  );
  const measured = parts.filter((part) => part.measures);
  return {
    lane: {
      name: place.name,
      place,
      benchmarks: measured.map(({ benchmark }) => benchmark),
      cells: measured.flatMap((part) => part.cells()),
    },
    skipped: parts.flatMap((part) => part.skipped()),
    faults: parts.flatMap((part) => part.faults()),
  };
}

/** Scenarios that share a baseline, under one load of one generator, in one place. */
class Part {
  readonly benchmark: PlannedBenchmark;
  readonly measures: boolean;
  readonly #refused: readonly { readonly target: PlannedTarget; readonly reason: string }[];
  readonly #faults: readonly Fault[];
  readonly #load: Load;

  constructor(
    private readonly matrix: Matrix,
    private readonly place: Place,
    private readonly generator: MatrixGenerator,
    private readonly load: MatrixLoad,
    private readonly group: readonly MatrixScenario[],
    judge: Judge,
    private readonly idOf: IdOf,
  ) {
    const { gateways, protocol } = matrix;
    const [first] = group as [MatrixScenario, ...MatrixScenario[]];
    this.#load = withConnection(load.load, first.connection);
    const adapters = gateways.map(({ adapter }) => adapter);
    const { adapter, workers } = generator;
    const isCluster = place.topology.kind === "eks";
    const means = { generator: adapter, workers, load: this.#load, protocol, isCluster };
    const planned = planGroup(this.#name(first), group, adapters, means, judge);
    const kept = planned.benchmark.targets.map((target) => ({ target, reason: this.#leftOut(target) }));
    this.benchmark = {
      ...planned.benchmark,
      targets: kept.filter(({ reason }) => reason === undefined).map(({ target }) => target),
    };
    this.measures = measures(this.benchmark, adapters);
    this.#refused = [
      ...planned.refused,
      ...kept.filter((one): one is { target: PlannedTarget; reason: string } => one.reason !== undefined),
    ];
    this.#faults = planned.faults;
  }

  /** Loads are named only where there are several. */
  #name({ scenario }: MatrixScenario): string {
    const load = this.matrix.loads.length > 1 ? `-${this.load.name}` : "";
    return `${this.generator.adapter.name}-${scenario.name}${load}`;
  }

  cells(): readonly PlannedCell[] {
    return this.benchmark.targets.map((target) => ({
      id: this.#idOf(target),
      ...this.#words(target),
      lane: this.place.name,
      benchmark: this.benchmark.name,
      target: target.name,
    }));
  }

  skipped(): readonly SkippedCell[] {
    return this.#refused.map(({ target, reason }) => ({ ...this.#words(target), reason }));
  }

  faults(): readonly FileFault[] {
    const at = ["scenarios", this.matrix.scenarios.indexOf(this.group[0] as MatrixScenario)];
    return this.#faults.map((fault) => ({ ...fault, at }));
  }

  #words({ adapter, scenario }: PlannedTarget) {
    const { generator, load, place } = this;
    return {
      gateway: adapter.name,
      scenario: scenario.name,
      generator: generator.adapter.name,
      load: load.name,
      size: place.size.name,
      topology: topologyName(place.topology),
    };
  }

  #idOf({ adapter, scenario }: PlannedTarget): string {
    const [{ connection }] = this.group as [MatrixScenario];
    const asked = this.group.find((one) => one.scenario === scenario) ?? { scenario, connection };
    const content = {
      gateway: gatewayOf(adapter, this.matrix.gateways),
      ...{ scenario: asked, generator: this.generator, load: this.#load, place: this.place },
    };
    return this.idOf(content, this.load.name);
  }

  /** The path without a gateway is what the others are read against: it is left out with the last of them. */
  #leftOut(target: PlannedTarget): string | undefined {
    if (target.name === baselineName) return undefined;
    const words = this.#words(target);
    const { include, exclude = [] } = this.matrix.file;
    const excluded = exclude.findIndex((rule) => fits(rule, words));
    if (excluded >= 0) return `left out: fits exclude[${excluded}].`;
    return include && !include.some((rule) => fits(rule, words)) ? "left out: fits no rule of include." : undefined;
  }
}

const fits = (rule: Rule, words: Readonly<Record<keyof Rule, string>>): boolean =>
  (Object.entries(rule) as [keyof Rule, readonly string[] | undefined][]).every(
    ([word, wanted]) => wanted === undefined || wanted.includes(words[word]),
  );

const withConnection = (load: Load, connection: MatrixScenario["connection"]): Load => ({ ...load, connection });

/** The baseline was asked for by nobody: it is what it is. */
const gatewayOf = (adapter: GatewayAdapter, gateways: readonly MatrixGateway[]): MatrixGateway =>
  gateways.find((one) => one.adapter === adapter) ?? baseline;

const baseline: MatrixGateway = { adapter: baselineAdapter, asked: baselineAdapter.name };

/** An adapter is asked once for each scenario, generator and load: of the place only what it can run changes its answers. */
function judgedOnce(): Judge {
  const rendering = once(renderingOnce, (adapter) => adapter);
  return once(
    (target, means) => judged({ ...target, adapter: rendering(target.adapter) }, means),
    ({ adapter, scenario }, { generator, workers, load, isCluster }) =>
      JSON.stringify([adapter.name, scenario, generator.name, workers, load, isCluster]),
  );
}

/** Rendering is pure, and most of what judging takes. */
const renderingOnce = (adapter: GatewayAdapter): GatewayAdapter => ({
  ...adapter,
  render: once(
    (...asked) => adapter.render(...asked),
    (...asked) => JSON.stringify(asked),
  ),
});
