import { wrapped, type Look } from "../look";
import { readableTime } from "../readable-time";
import type { LeftGroup, Leftover, Removal } from "./leftover";

/** What was left behind, and what is left alone and why: a line for each thing, with how old it is. */
export function sweepText(groups: readonly LeftGroup[], look: Look, now = Date.now()): string {
  const [left, used] = [
    groups.filter(({ inUse }) => inUse === undefined),
    groups.filter(({ inUse }) => inUse !== undefined),
  ];
  return [
    ...left.map((group) => groupText(group, "left behind", look, now)),
    ...used.map((group) => groupText(group, `left alone: ${group.inUse}`, look, now)),
  ].join("\n");
}

function groupText({ name, where, items }: LeftGroup, state: string, { columns, colours }: Look, now: number): string {
  const title = wrapped(`${name} on ${where} – ${state}`, columns, "", "  ");
  const lines = items.flatMap((item) => wrapped(`${itemText(item)}, ${ageText(item, now)}`, columns, "  ", "    "));
  return [...title.map((line) => colours.bold(line)), ...lines].join("\n");
}

const itemText = ({ kind, id, about }: Leftover): string => `${kind} ${id}${about === "" ? "" : ` (${about})`}`;

const ageText = ({ since }: Leftover, now: number): string =>
  since === undefined ? "of unknown age" : `${readableTime(Math.max(0, (now - since.getTime()) / 1000))} old`;

/** "removed VPC vpc-1 (…)". */
export const removalText = ({ item, failure }: Removal): string =>
  failure === undefined ? `removed ${itemText(item)}` : `still there: ${itemText(item)}: ${failure}`;
