import Table from "cli-table3";
import pc from "picocolors";
import { plainBorders } from "../terminal-tables";
import type { Fidelity } from "./fidelity";
import { bounds, type Verdict } from "./findings";
import { grouped } from "../counts-in-words";

/** What was found, as people read it in a terminal. */
export function fidelityTable(found: Fidelity): string {
  const table = new Table({
    head: ["", "check", "found", "bound"],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    chars: plainBorders,
  });
  for (const [verdict, check, said, bound] of rowsOf(found)) {
    table.push([verdicts[verdict](verdict), check, said, bound]);
  }
  return [pc.bold(titleOf(found)), table.toString(), ...detailsOf(found)].join("\n");
}

const titleOf = ({ gateway, generators: { paced, saturated }, machine: { cpus } }: Fidelity): string =>
  `What gatebench takes from a measurement: ${gateway}, plain; ${saturated} at saturation, ${paced} at a pace; ${cpus} CPUs`;

const verdicts = { held: pc.green, broken: pc.red, untold: pc.yellow } as const;
const tooBusy = "the machine is too busy to tell";

type Row = readonly [verdict: Verdict, check: string, found: string, bound: string];

function rowsOf({ tool, harness, paced, saturated }: Fidelity): readonly Row[] {
  return [
    [
      tool.verdict,
      "the tool runs as by hand, and its figures are its own",
      `${tool.differences.length} differences, ${tool.misreadings.length} misreadings in ${tool.pairs} pairs`,
      "none",
    ],
    [
      harness.verdict,
      "CPU of gatebench while the load runs, of one core",
      `${percent(harness.fraction)} over ${harness.windowS.toFixed(0)} s (worst run ${percent(harness.worstFraction)})`,
      `${percent(bounds.harness)}`,
    ],
    [
      paced.verdict,
      `requests per second at a pace of ${grouped(paced.offeredRps)}/s, gatebench / by hand`,
      [...paced.ratios.map((ratio) => ratio.toFixed(4)), ...(paced.verdict === "untold" ? [tooBusy] : [])].join(" "),
      `${range(bounds.paced, 2)} each`,
    ],
    [
      saturated.verdict,
      `requests per second at saturation, gatebench / by hand`,
      saturated.interval
        ? `${saturated.ratio?.toFixed(4)} (95 %: ${range(saturated.interval, 4)}) of ${saturated.pairs} pairs`
        : tooBusy,
      `not wholly outside ${range(bounds.saturated, 2)}`,
    ],
  ];
}

function detailsOf({ tool, harness, paced, saturated }: Fidelity): readonly string[] {
  const parts = Object.entries(harness.byPart).sort(([, left], [, right]) => right - left);
  return [
    ...tool.differences.map((line) => pc.red(`  differs: ${line}`)),
    ...tool.misreadings.map((line) => pc.red(`  misread: ${line}`)),
    ...tool.unread.map((name) =>
      pc.yellow(`  not compared with its own figures, which only its adapter reads: ${name}`),
    ),
    pc.dim(`  CPU of one core by part: ${parts.map(([part, used]) => `${part} ${percent(used)}`).join(", ")}`),
    pc.dim(`  rps at saturation: ${bothSides(saturated.meanRps, grouped)}`),
    pc.dim(`  the rest of the machine used, of all CPUs: ${bothSides(paced.others, percent)} at the pace,`),
    pc.dim(`    ${bothSides(saturated.others, percent)} at saturation`),
    pc.dim(
      `  left out because others used it: ${paced.disturbed} pairs at the pace, ${saturated.disturbed} at saturation`,
    ),
  ];
}

function bothSides(
  { gatebench, byHand }: { readonly gatebench: number | null; readonly byHand: number | null },
  text: (value: number) => string,
): string {
  const said = (value: number | null) => (value === null ? "–" : text(value));
  return `${said(gatebench)} under gatebench, ${said(byHand)} by hand`;
}

const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)} %`;
const range = ([lower, upper]: readonly number[], digits: number): string =>
  `${lower?.toFixed(digits)}–${upper?.toFixed(digits)}`;
