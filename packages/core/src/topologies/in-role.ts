import { fault, type Fault } from "../contract";

/**
 * The machines of a role, by name. The first is called as if it were alone, so that another one beside it is no reason to
 * make it anew.
 */
export function inRole<M extends object>(role: string, given: M | readonly M[]): readonly (readonly [string, M])[] {
  return listOf(given).map((machine, index) => [index === 0 ? role : `${role}-${index + 1}`, machine]);
}

/** A role that was given a list of no machines, or of more than there is room for. */
export function roleFaults(role: string, given: object | readonly object[], most: number): readonly Fault[] {
  const { length } = listOf(given);
  return length >= 1 && length <= most
    ? []
    : [
        fault(
          "invalid-option",
          `${role} is a list of ${length} machines; give one machine, or a list of 1 to ${most}.`,
        ),
      ];
}

const listOf = <M extends object>(given: M | readonly M[]): readonly M[] =>
  Array.isArray(given) ? (given as readonly M[]) : [given as M];

/** As many as a scenario can have. */
export const mostUpstreams = 16;
