import { reference, type Values } from "../../contract/reference";

/** Shorter values, such as a user's name, would turn ordinary words into references. */
export const shortest = 8;

interface Form {
  readonly name: string;
  readonly text: string;
}

/** A function that puts references back where a text holds values, in any form in which tools and gateways print them. */
export function masking(values: Values): (text: string) => string {
  const byBeginning = indexed(Object.entries(values).flatMap(([name, value]) => formsOf(name, value)));
  return (text) => masked(text, byBeginning);
}

function formsOf(name: string, value: string): readonly Form[] {
  // The first and last line of a PEM say what it is, and nothing else.
  const lines = value
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !line.startsWith("-----"));
  const texts = [value, value.trim(), ...lines.flatMap(spellings), ...base64Of(value)];
  return [...new Set(texts)].filter((text) => text.length >= shortest).map((text) => ({ name, text }));
}

function spellings(line: string): readonly string[] {
  const inUrl = encodeURIComponent(line);
  const inSmall = inUrl.replace(/%../g, (code) => code.toLowerCase());
  return [line, inUrl, inSmall, JSON.stringify(line).slice(1, -1), ...base64Of(line)];
}

/** Letters after which tools break a line of base64: in PEM, in MIME. */
const widths = [64, 76];

/** Of the value alone, whole or in lines, and of a text that holds it: there it begins at one of three places in four letters. */
function base64Of(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const whole = bytes.toString("base64");
  const wrapped = widths.flatMap((width) => whole.match(new RegExp(`.{1,${width}}`, "g")) ?? []);
  const texts = [whole, whole.replace(/=+$/, ""), ...wrapped, ...[0, 1, 2].map((offset) => innerBase64(bytes, offset))];
  return texts.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** The letters of six bits that depend on nothing but the value, where so many bytes stand before it. */
function innerBase64(bytes: Buffer, offset: number): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return whole.slice(Math.ceil((8 * offset) / 6), Math.floor((8 * (offset + bytes.length)) / 6));
}

type Index = ReadonlyMap<string, readonly Form[]>;

/** By their first letters, the longest first: a value that begins another is not taken for it. */
function indexed(forms: readonly Form[]): Index {
  const byBeginning = new Map<string, Form[]>();
  for (const form of [...forms].sort((left, right) => right.text.length - left.text.length)) {
    const beginning = form.text.slice(0, shortest);
    const same = byBeginning.get(beginning);
    if (same) same.push(form);
    else byBeginning.set(beginning, [form]);
  }
  return byBeginning;
}

/** One pass over the text, however many values there are. */
function masked(text: string, byBeginning: Index): string {
  const parts: string[] = [];
  let kept = 0;
  for (let at = 0; at + shortest <= text.length && byBeginning.size > 0; at++) {
    const found = byBeginning.get(text.slice(at, at + shortest))?.find((form) => text.startsWith(form.text, at));
    if (!found) continue;
    parts.push(text.slice(kept, at), reference(found.name));
    kept = at + found.text.length;
    at = kept - 1;
  }
  return parts.join("") + text.slice(kept);
}
