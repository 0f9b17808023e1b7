import { inTurns, stretches, type Pair, type Side } from "./turns";

test("each pair has the order opposite to the last", () => {
  expect(stretches(4)).toEqual([
    { side: "gatebench", runs: 1 },
    { side: "byHand", runs: 2 },
    { side: "gatebench", runs: 2 },
    { side: "byHand", runs: 2 },
    { side: "gatebench", runs: 1 },
  ]);
});

test.each([1, 2, 5, 40])("%d pairs are that many runs of each side", (pairs) => {
  const runsOf = (wanted: Side) =>
    stretches(pairs)
      .filter(({ side }) => side === wanted)
      .reduce((total, { runs }) => total + runs, 0);
  expect([runsOf("gatebench"), runsOf("byHand")]).toEqual([pairs, pairs]);
});

test("runs are paired in the order in which they took place", async () => {
  const { sides } = counting();
  expect(await inTurns(3, sides, () => false)).toEqual([
    { gatebench: "gatebench 1", byHand: "byHand 1" },
    { gatebench: "gatebench 2", byHand: "byHand 2" },
    { gatebench: "gatebench 3", byHand: "byHand 3" },
  ]);
});

test("enough ends the turns, and a half without its other half is left out", async () => {
  const { sides, done } = counting();
  const pairs = await inTurns(40, sides, (seen: readonly Pair<string>[]) => seen.length >= 2);
  expect(pairs).toHaveLength(2);
  expect(done).toEqual({ gatebench: 3, byHand: 2 });
});

function counting() {
  const done: Record<Side, number> = { gatebench: 0, byHand: 0 };
  const run = (side: Side) => async (runs: number) => Array.from({ length: runs }, () => `${side} ${++done[side]}`);
  return { done, sides: { gatebench: run("gatebench"), byHand: run("byHand") } };
}
