import { createColors } from "picocolors";

type Colours = ReturnType<typeof createColors>;

/** What a text may look like where it is read. */
export interface Look {
  readonly columns: number;
  readonly colours: Colours;
}

const narrowest = 60;
/** Where nobody says how wide it is, such as a file. */
const usual = 100;

/** Colours only where somebody looks, and not where they do not want them. */
export function lookOf({ isTTY, columns = usual }: NodeJS.WriteStream, { NO_COLOR, FORCE_COLOR } = process.env): Look {
  const wanted = Boolean(FORCE_COLOR) || (isTTY && process.env.TERM !== "dumb");
  return { columns: Math.max(narrowest, columns), colours: createColors(wanted && !NO_COLOR) };
}

/** The words of a text in lines of that width, the first with a lead and the rest as far in; longer words stay whole. */
export function wrapped(text: string, columns: number, lead = "", rest = " ".repeat(lead.length)): readonly string[] {
  return filled(text.split(" "), columns, lead, rest, "");
}

/** A shell command in lines that can be pasted as they are. */
export function wrappedCommand(command: string, columns: number, lead: string): readonly string[] {
  const words = command.match(/(-[\w-]+ (?!-))?('[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return filled(words, columns, lead, `${lead}  `, " \\");
}

function filled(words: readonly string[], columns: number, lead: string, rest: string, end: string): readonly string[] {
  const lines: string[] = [];
  let line = lead;
  let empty = true;
  for (const word of words) {
    if (!empty && line.length + 1 + word.length + end.length > columns) {
      lines.push(`${line}${end}`);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
