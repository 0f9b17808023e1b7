import { unparsed } from "./unparsed-output";

/**
 * Figures that scripts of ours print: JSON on a line of its own, then a seal made from that line, so that a digit lost
 * or changed on the way is noticed. Other lines are the tool's, or a user's script's.
 */
const figuresTag = "@gatebench ";
const sealTag = "@gatebench-seal ";

/** Adler-32 (RFC 1950) as eight hex digits: few lines in every language a script of ours is written in. */
export function sealOf(text: string): string {
  let [low, high] = [1, 0];
  for (const byte of Buffer.from(text, "utf8")) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return (high * 65536 + low).toString(16).padStart(8, "0");
}

/** What a script of ours prints, in TypeScript; for tests. */
export const sealed = (figures: unknown): string => {
  const text = JSON.stringify(figures);
  return `${figuresTag}${text}\n${sealTag}${sealOf(text)}\n`;
};

/** What was sealed, and the lines that stand around it. */
export interface Unsealed {
  readonly figures: unknown;
  readonly others: readonly string[];
}

/** Whether an output is one of a script of ours, or what is left of one. */
export const isSealed = (stdout: string): boolean => stdout.includes("@gatebench");

/** The figures of one run; throws where they are missing, cut off, changed, or there twice. */
export function unseal(tool: string, stdout: string): Unsealed {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "");
  const ours = lines.filter((line) => line.startsWith("@gatebench"));
  const [figures = "", seal = ""] = ours;
  const isWhole = ours.length === 2 && figures.startsWith(figuresTag) && seal.startsWith(sealTag);
  if (!isWhole) unparsed(tool, "figures missing, cut off, or of two runs", ours.at(-1) ?? lines.at(-1) ?? "");
  const text = figures.slice(figuresTag.length);
  if (sealOf(text) !== seal.slice(sealTag.length).trim()) unparsed(tool, "figures that do not fit their seal", text);
  return { figures: parsedJson(tool, text), others: lines.filter((line) => !ours.includes(line)) };
}

function parsedJson(tool: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unparsed(tool, "figures that are not JSON", text);
  }
}
