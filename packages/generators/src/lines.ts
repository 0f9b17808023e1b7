import { unparsed } from "./unparsed-output";

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * A tool's text, read in the tool's own order. Blank lines and the spaces around words mean nothing, because pasting
 * changes them; every other line must be understood.
 */
export class Lines {
  private at = 0;
  private readonly lines: readonly string[];

  constructor(
    private readonly tool: string,
    text: string,
  ) {
    const trimmed = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
    this.lines = trimmed.filter((line) => line !== "");
  }

  /** The named groups of the next line, which must be of this form. */
  next(form: RegExp): Groups {
    return this.maybe(form) ?? unparsed(this.tool, "not the line that belongs here", this.lines[this.at] ?? "the end");
  }

  /** The same, or nothing where the next line is of another form. */
  maybe(form: RegExp): Groups | undefined {
    const match = form.exec(this.lines[this.at] ?? "");
    if (match === null) return undefined;
    this.at += 1;
    return match.groups ?? {};
  }

  /** All lines of this form that follow each other. */
  all(form: RegExp): readonly Groups[] {
    const found: Groups[] = [];
    for (let groups = this.maybe(form); groups !== undefined; groups = this.maybe(form)) found.push(groups);
    return found;
  }

  /** Throws where something is left. */
  end(): void {
    const left = this.lines[this.at];
    if (left !== undefined) unparsed(this.tool, "more than one run, or another tool's words", left);
  }
}
