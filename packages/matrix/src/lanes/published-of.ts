import type { Published, Result } from "@gatebench/core";
import type { MatrixFile } from "../matrix-file/matrix-file";
import type { PlannedCell } from "../plan/expansion";

type Figure = NonNullable<MatrixFile["published"]>["figures"][number];

const words = ["gateway", "scenario", "generator", "load", "size", "topology"] as const;

/** What a matrix says was published, with the cells that its words fit. */
export function publishedOf(
  { published, differsIn = [] }: Pick<MatrixFile, "published" | "differsIn">,
  planned: readonly PlannedCell[],
): Pick<Result, "published"> {
  if (!published) return {};
  const figures = published.figures.map((figure) => figureOf(figure, planned));
  return { published: { source: published.source, figures, differsIn: [...differsIn] } };
}

function figureOf(asked: Figure, planned: readonly PlannedCell[]): Published["figures"][number] {
  const { rps, tlsTps, p99Ms, p95Ms, meanMs, note } = asked;
  return {
    name: words.flatMap((word) => asked[word] ?? []).join(" "),
    cells: planned.filter((cell) => isOf(asked, cell)).map(({ id }) => id),
    ...{ rps, tlsTps, p99Ms, p95Ms, meanMs, note },
  };
}

const isOf = (figure: Figure, cell: PlannedCell): boolean =>
  words.every((word) => figure[word] === undefined || figure[word] === cell[word]);
