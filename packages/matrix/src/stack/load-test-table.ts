import Table from "cli-table3";
import { plainBorders } from "../terminal-tables";
import type { LoadTestRow } from "./load-test-row";

/** Rows by load, the published before the measured, and what several servers give over one. */
export function loadTestTable(rows: readonly LoadTestRow[]): string {
  const groups = groupsOf(rows);
  const table = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map((_, index) => (index === 0 ? "left" : "right")),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    chars: plainBorders,
  });
  for (const row of groups.flat()) table.push(columns.map(({ of }) => of(row)));
  const lines = table.toString().split("\n");
  return [...lines.map((line) => line.trimEnd()), ...groups.flatMap(gains)].join("\n");
}

interface Column {
  readonly head: string;
  readonly of: (row: LoadTestRow) => string;
}

const columns: readonly Column[] = [
  { head: "test", of: nameOf },
  { head: "sent by", of: ({ tool }) => tool },
  { head: "users", of: loadOf },
  { head: "TPS", of: (row) => marked(row, shown(row.tps, 1)) },
  { head: "peak TPS", of: (row) => marked(row, shown(row.peakTps, 1)) },
  { head: "mean ms", of: (row) => marked(row, shown(row.meanMs, 2)) },
  { head: "least", of: ({ leastMs }) => shown(leastMs, 2) },
  { head: "longest", of: ({ longestMs }) => shown(longestMs, 2) },
  { head: "σ", of: ({ deviationMs }) => shown(deviationMs, 2) },
  { head: "KB/s", of: ({ kibPerS, bytesOf }) => [shown(kibPerS, 0), bytesOf].filter(Boolean).join(" ") },
  { head: "executed", of: ({ executed }) => shown(executed, 0) },
  { head: "successful", of: ({ successful }) => shown(successful, 0) },
  { head: "errors", of: ({ errors }) => shown(errors, 0) },
  { head: "run time", of: ({ runTimeS }) => (runTimeS === null ? unstated : `${shown(runTimeS, 1)} s`) },
  { head: "requests per server", of: ({ perServer }) => perServer.map((one) => shown(one, 0)).join(" + ") || unstated },
  { head: "verdict", of: ({ grade }) => grade ?? unstated },
];

const unstated = "–";

function nameOf(row: LoadTestRow): string {
  const { by, gateway, balancing } = row;
  return [
    ...(by === "published" ? ["published:"] : []),
    [gateway, serversOf(row), balancing].filter(Boolean).join(", "),
  ].join(" ");
}

function serversOf({ servers }: LoadTestRow): string {
  if (servers === null) return "servers not stated";
  return servers === 1 ? "1 server" : `${servers} servers`;
}

function loadOf({ users, perUser }: LoadTestRow): string {
  return perUser === null ? shown(users, 0) : `${shown(users, 0)} × ${shown(perUser, 0)}`;
}

/** At most so many digits behind the point. */
const shown = (value: number | null, digits: number): string =>
  value === null ? unstated : value.toLocaleString("en-US", { maximumFractionDigits: digits });

/** What is wrong stands in brackets, as in every table. */
const marked = ({ grade }: LoadTestRow, text: string): string => (grade === "invalid" ? `(${text})` : text);

function groupsOf(rows: readonly LoadTestRow[]): readonly (readonly LoadTestRow[])[] {
  const groups = new Map<string, LoadTestRow[]>();
  for (const row of rows) groups.set(loadOf(row), [...(groups.get(loadOf(row)) ?? []), row]);
  return [...groups.values()].map((group) => group.toSorted((left, right) => placeOf(left) - placeOf(right)));
}

/** What was published comes first, one server before several. */
const placeOf = ({ by, servers }: LoadTestRow): number => (by === "published" ? 0 : mostServers) + (servers ?? 0);
const mostServers = 100;

/** "50 × 100: 2 servers give 2.54 times the TPS of one as published, 1.02 times as measured". */
function gains(group: readonly LoadTestRow[]): readonly string[] {
  const told = group.flatMap((several) => gainOf(several, group));
  const [first] = group;
  return first && told.length > 0 ? [`${loadOf(first)}: ${told.join("; ")}`] : [];
}

function gainOf(several: LoadTestRow, group: readonly LoadTestRow[]): readonly string[] {
  const one = group.find(
    ({ by, tool, gateway, servers }) =>
      servers === 1 && by === several.by && tool === several.tool && gateway === several.gateway,
  );
  if (!one?.tps || several.tps === null || (several.servers ?? 1) < 2) return [];
  if (one.grade === "invalid" || several.grade === "invalid") return [];
  const how = several.balancing === null ? "" : ` (${several.balancing})`;
  return [
    `${several.servers} servers${how} give ${shown(several.tps / one.tps, 2)} times the TPS of 1, as ${several.by}`,
  ];
}
