import assert from "node:assert/strict";
import type { GeneratorAdapter } from "../contract";
import { randomFrom, type Random } from "../measure";
import type { GeneratorRecording } from "./generator-laws";

/** How often, and from which beginning: the same seed changes the same outputs in the same way. */
export interface Fuzzing {
  readonly seed: number;
  readonly count: number;
}

/**
 * Changes recorded outputs at random – cut anywhere, lines dropped, doubled and exchanged, a digit changed, a number made
 * NaN, another output's lines put in – and throws unless `parse` refuses each of them or reads the figures of an
 * unchanged one.
 */
export function fuzzGenerator(
  adapter: GeneratorAdapter,
  recordings: readonly GeneratorRecording[],
  { seed, count }: Fuzzing,
): void {
  const random = randomFrom(seed);
  const truths = recordings.map(({ output, asked }) => adapter.parse(output, asked));
  for (let round = 0; round < count; round += 1) {
    const index = round % recordings.length;
    const given = recordings[index] as GeneratorRecording;
    const { how, text } = mutated(given, recordings, random);
    const read = tried(() => adapter.parse({ ...given.output, stdout: text }, given.asked));
    if (read === undefined || truths.some((truth) => isSame(read, truth))) continue;
    assert.deepStrictEqual(read, truths[index], `seed ${seed}, round ${round}, ${given.name}: ${how}`);
  }
}

interface Mutated {
  readonly how: string;
  readonly text: string;
}

function mutated(given: GeneratorRecording, all: readonly GeneratorRecording[], random: Random): Mutated {
  const { stdout } = given.output;
  const lines = stdout.split("\n");
  const at = below(lines.length, random);
  const other = (all[below(all.length, random)] as GeneratorRecording).output.stdout.split("\n");
  const kinds: readonly (() => Mutated)[] = [
    () => cut(stdout, random),
    () => ({ how: `line ${at + 1} dropped`, text: lines.toSpliced(at, 1 + below(3, random)).join("\n") }),
    () => ({ how: `line ${at + 1} doubled`, text: lines.toSpliced(at, 0, lines[at] as string).join("\n") }),
    () => changedDigit(given, random),
    () => changedDigit(given, random),
    () => notANumber(given, random),
    () => ({
      how: "another's lines put in",
      text: [...lines.slice(0, at), ...other.slice(below(other.length, random))].join("\n"),
    }),
  ];
  return (kinds[below(kinds.length, random)] as () => Mutated)();
}

function cut(text: string, random: Random): Mutated {
  const [from, to] = [below(text.length, random), below(text.length, random)];
  const isTail = random() < 0.7;
  return isTail
    ? { how: `cut after ${from} characters`, text: text.slice(0, from) }
    : {
        how: `cut from ${Math.min(from, to)} to ${Math.max(from, to)}`,
        text: text.slice(0, Math.min(from, to)) + text.slice(Math.max(from, to)),
      };
}

function changedDigit(given: GeneratorRecording, random: Random): Mutated {
  const isFree = freeIn(given);
  return atNumber(given, random, (number, index) => {
    const digits = [...number.matchAll(/\d/g)].map((digit) => digit.index).filter((place) => !isFree(index + place));
    const at = digits[below(digits.length, random)] as number;
    return number.slice(0, at) + String((Number(number[at]) + 1 + below(9, random)) % 10) + number.slice(at + 1);
  });
}

const notANumber = (given: GeneratorRecording, random: Random): Mutated => atNumber(given, random, () => "NaN");

/** Places of what an output states once and nothing else in it depends on: nobody can check them. All others are changed. */
function freeIn({ output: { stdout }, uncheckable }: GeneratorRecording): (place: number) => boolean {
  const matches = uncheckable === undefined ? [] : [...stdout.matchAll(uncheckable)];
  return (place) => matches.some(({ 0: text, index }) => place >= index && place < index + text.length);
}

function atNumber(
  given: GeneratorRecording,
  random: Random,
  change: (number: string, index: number) => string,
): Mutated {
  const { stdout } = given.output;
  const isFree = freeIn(given);
  const numbers = [...stdout.matchAll(/\d+(\.\d+)?/g)].filter(({ index }) => !isFree(index));
  const match = numbers[below(numbers.length, random)];
  if (match === undefined) return { how: "nothing changed", text: stdout };
  const changed = change(match[0], match.index);
  return {
    how: `${match[0]} at ${match.index} became ${changed}`,
    text: stdout.slice(0, match.index) + changed + stdout.slice(match.index + match[0].length),
  };
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isSame(left: unknown, right: unknown): boolean {
  return tried(() => assert.deepStrictEqual(left, right) ?? true) === true;
}

const below = (limit: number, random: Random): number => Math.floor(random() * Math.max(1, limit));
