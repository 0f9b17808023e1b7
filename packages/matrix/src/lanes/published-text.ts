import type { Cell } from "@gatebench/core";
import type { MatrixFile } from "../matrix-file/matrix-file";
import type { PlannedCell } from "../plan/expansion";
import { grouped } from "../counts-in-words";

type Published = NonNullable<MatrixFile["published"]>["figures"][number];
type Figures = Readonly<Partial<Record<"rps" | "tlsTps" | "p99Ms", number | null | undefined>>>;

const words = ["gateway", "scenario", "generator", "load", "size", "topology"] as const;

/** Published figures with ours beside them, and in what the tests differ; undefined where nothing was published. */
export function publishedText(
  { published, differsIn = [] }: Pick<MatrixFile, "published" | "differsIn">,
  planned: readonly PlannedCell[],
  measured: readonly Cell[],
): string | undefined {
  if (!published) return undefined;
  const lines = published.figures.map((figure) => {
    const ids = planned.filter((cell) => isOf(figure, cell)).map(({ id }) => id);
    const ours = measured.filter(({ id }) => ids.includes(id)).map(figuresText);
    const what = words.flatMap((word) => figure[word] ?? []).join(" ");
    const stated = [figuresText(figure), figure.note].filter(Boolean).join("; ");
    return `  ${what}: ${stated} – ours: ${[...new Set(ours)].join(", or ") || "not measured"}`;
  });
  const differences = differsIn.length > 0 ? [`  differs from the published test in: ${differsIn.join("; ")}`] : [];
  return [`published by ${published.source}`, ...lines, ...differences].join("\n");
}

const isOf = (figure: Published, cell: PlannedCell): boolean =>
  words.every((word) => figure[word] === undefined || figure[word] === cell[word]);

function figuresText({ rps, tlsTps, p99Ms }: Figures): string {
  const stated = [
    typeof rps === "number" ? `${grouped(rps)} RPS` : undefined,
    typeof tlsTps === "number" ? `${grouped(tlsTps)} TLS TPS` : undefined,
    typeof p99Ms === "number" ? `P99 ${p99Ms.toFixed(2)} ms` : undefined,
  ];
  return stated.filter(Boolean).join(", ");
}
