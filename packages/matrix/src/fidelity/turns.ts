/** Who carries out a run: gatebench through the engine, or a person's command alone. */
export type Side = "gatebench" | "byHand";

/** Runs of one side, one after another. */
export interface Stretch {
  readonly side: Side;
  readonly runs: number;
}

/**
 * Pair after pair, each in the order opposite to the last: gatebench, by hand; by hand, gatebench; …
 *
 * What drifts (a warming machine) then falls on both sides alike, and two runs of one side stand together, so that one
 * start of the engine serves two pairs.
 */
export function stretches(pairs: number): readonly Stretch[] {
  const sides = Array.from({ length: pairs }, (_, pair) => inOrder[pair % 2] as readonly Side[]).flat();
  return sides.reduce<readonly Stretch[]>((all, side) => {
    const last = all.at(-1);
    return last?.side === side ? [...all.slice(0, -1), { side, runs: last.runs + 1 }] : [...all, { side, runs: 1 }];
  }, []);
}

const inOrder: readonly (readonly Side[])[] = [
  ["gatebench", "byHand"],
  ["byHand", "gatebench"],
];

/** One run of each side. */
export interface Pair<Run> {
  readonly gatebench: Run;
  readonly byHand: Run;
}

/** Takes turns until there are so many pairs, or enough of them. */
export async function inTurns<Run>(
  pairs: number,
  carryOut: Readonly<Record<Side, (runs: number) => Promise<readonly Run[]>>>,
  enough: (pairs: readonly Pair<Run>[]) => boolean,
): Promise<readonly Pair<Run>[]> {
  const done: Record<Side, Run[]> = { gatebench: [], byHand: [] };
  for (const { side, runs } of stretches(pairs)) {
    done[side].push(...(await carryOut[side](runs)));
    if (enough(pairsOf(done))) break;
  }
  return pairsOf(done);
}

/** A half without its other half is left out. */
function pairsOf<Run>({ gatebench, byHand }: Readonly<Record<Side, readonly Run[]>>): readonly Pair<Run>[] {
  const complete = gatebench.slice(0, byHand.length);
  return complete.map((run, index) => ({ gatebench: run, byHand: byHand[index] as Run }));
}
