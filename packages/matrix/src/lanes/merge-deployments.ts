import { resolveScenario, type Cell, type Run, type Verification } from "@gatebench/core";
import { answeringRuns, cellFigures, verdictOf } from "@gatebench/core/measure";

/** The cells of one benchmark by target. */
export type Cells = Readonly<Record<string, Cell>>;

/**
 * The cells of several deployments of one benchmark as one of each target: its runs behind each other, each knowing which
 * deployment it loaded. Figures and verdict are made anew from all of them; nothing is averaged of what was.
 */
export function mergeDeployments(deployments: readonly Cells[]): Cells {
  const [first = {}] = deployments;
  const targets = Object.keys(first).filter((target) => deployments.every((cells) => cells[target]));
  const histories = Object.fromEntries(targets.map((target) => [target, historyOf(deployments, target)]));
  return Object.fromEntries(
    targets.map((target) => {
      const cell = first[target] as Cell;
      const baseline = targets.find((other) => (first[other] as Cell).id === cell.baseline);
      return [
        target,
        merged(
          cell,
          deployments.map((cells) => cells[target] as Cell),
          histories,
          target,
          baseline,
        ),
      ];
    }),
  );
}

function historyOf(deployments: readonly Cells[], target: string): readonly Run[] {
  const before = (index: number) => deployments.slice(0, index).reduce((sum, cells) => sum + runsIn(cells), 0);
  return deployments.flatMap((cells, index) =>
    (cells[target] as Cell).runs.map((run) => ({
      ...run,
      deployment: index + 1,
      order: before(index) + run.order,
    })),
  );
}

const runsIn = (cells: Cells): number => Object.values(cells).reduce((sum, { runs }) => sum + runs.length, 0);

type Histories = Readonly<Record<string, readonly Run[]>>;

function merged(
  cell: Cell,
  all: readonly Cell[],
  histories: Histories,
  target: string,
  baseline: string | undefined,
): Cell {
  const history = histories[target] as readonly Run[];
  const answer = answeringRuns(history);
  const isBaseline = baseline === undefined;
  return {
    ...cell,
    ...cellFigures(answer),
    protocol: `${cell.protocol}, ${all.length} deployments`,
    verdict: verdictOf({
      ...{ load: cell.load, scenario: resolveScenario(cell.scenarioAsked), purpose: cell.purpose, history, answer },
      sharedRoles: sharedRoles(cell),
      verification: worstVerification(all, target),
      ...(isBaseline
        ? {}
        : { baseline: { name: baseline, figures: cellFigures(answeringRuns(histories[baseline] as readonly Run[])) } }),
    }),
    runs: [...history],
  };
}

/** As the deployments' own verdicts state them: they stood on the same hosts. */
function sharedRoles({ verdict }: Cell): readonly string[] {
  return verdict.warnings.flatMap((seen) => (seen.code === "hosts-shared" ? seen.evidence.roles.split(", ") : []));
}

/** A law that one deployment broke is broken; one that none tested is untested. */
function worstVerification(all: readonly Cell[], target: string): Verification {
  const [first] = all as [Cell, ...Cell[]];
  const laws = first.verification.map(({ law }) => {
    const findings = all.flatMap(({ verification }) => verification.filter((one) => one.law === law));
    const found =
      findings.find(({ verdict }) => verdict === "broken") ??
      findings.find(({ verdict }) => verdict === "untested") ??
      findings[0];
    return { law, finding: { verdict: found?.verdict ?? "untested", reason: found?.reason ?? "" } };
  });
  return { target, laws } as Verification;
}
