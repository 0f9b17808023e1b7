import { fault, refuse } from "@gatebench/core";
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
  type Pair,
} from "yaml";
import type { FilePath } from "./matrix";
import { placed, type MatrixSource, type Position } from "./matrix-source";

/** The text of a YAML (or JSON) matrix. Throws every mistake of its form at once. */
export function yamlSource(path: string, text: string): MatrixSource {
  const lines = new LineCounter();
  const found = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const documents = Array.isArray(found) ? (found as Document.Parsed[]) : [];
  const mistakes = [...documents.flatMap((one) => mistakesIn(one, text)), ...mistakesOf(documents)];
  refuse(
    mistakes.flatMap(({ message, offset }) => {
      const source = { path, value: undefined, position: () => positionAt(lines, offset) };
      return placed(source, [{ ...fault("invalid-matrix", message), at: [] }]);
    }),
  );
  const document = documents[0] as Document.Parsed;
  return {
    path,
    value: document.toJS({ maxAliasCount }),
    position: (at, what) => positionAt(lines, offsetOf(document, at, what)),
  };
}

interface Mistake {
  readonly message: string;
  /** In characters, from the beginning of the text. */
  readonly offset: number;
}

/** Of the text itself, whatever it says. */
function mistakesIn(document: Document.Parsed, text: string): readonly Mistake[] {
  const { errors, warnings } = document;
  const ofText = [...errors, ...warnings].map(({ code, message, pos: [offset] }) => ({
    message: ownWords[code]?.(wordAt(text, offset)) ?? `this is no YAML (${message.replace(/\.$/, "")}). ${advice}`,
    offset,
  }));
  return ofText.length > 0 ? ofText : mistakesOfAliases(document);
}

/** Of the file as one matrix. */
function mistakesOf([document, second]: readonly Document.Parsed[]): readonly Mistake[] {
  if (!document || document.contents === null) return [{ message: empty, offset: 0 }];
  return second ? [{ message: several, offset: second.range[0] }] : [];
}

/** Followed only so far: a few lines can stand for billions. */
const maxAliasCount = 100;

function mistakesOfAliases(document: Document.Parsed): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  visit(document, {
    Alias: (_, alias) => {
      const message = `no anchor &${alias.source} stands above this line. Spell both alike.`;
      if (!alias.resolve(document)) mistakes.push({ message, offset: alias.range?.[0] ?? 0 });
    },
  });
  return mistakes.length > 0 || isBounded(document) ? mistakes : [{ message: endless, offset: 0 }];
}

function isBounded(document: Document.Parsed): boolean {
  try {
    document.toJS({ maxAliasCount });
    return true;
  } catch {
    return false;
  }
}

const empty = 'the file is empty. Begin it with "name: " and "gateways: ".';
const several = 'a second document begins here. A file is one matrix; drop the "---", or make it another file.';

/** What the parser says in the words of those who write parsers; `here` is the word it is about. */
const ownWords: Readonly<Record<string, (here: string) => string>> = {
  DUPLICATE_KEY: (here) => `the key ${here} stands here a second time. Keep one of them.`,
  TAB_AS_INDENT: () => "a tab stands at the beginning of the line. Indent with blanks.",
  MULTIPLE_DOCS: () => several,
  TAG_RESOLVE_FAILED: (here) => `the tag ${here} is of another program. Write the value without it.`,
};

const wordAt = (text: string, offset: number): string => /^[^\s:,\]}]+/.exec(text.slice(offset))?.[0] ?? "";

const advice = "Look at the indentation, brackets and quotes here and above.";
const endless = "its aliases stand for more than a matrix can hold. Write out what they stand for.";

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** Where the path leads, or where it ends: what is missing is missed in what is around it. */
function offsetOf(document: Document.Parsed, at: FilePath, what: "key" | "value"): number {
  let node = document.contents as Node | null;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of at.entries()) {
    const next = childOf(document, node, step);
    if (next === undefined) return offset;
    const isLast = index === at.length - 1;
    offset =
      (isLast && what === "key" ? startOf(next.key) : undefined) ?? startOf(next.value) ?? startOf(next.key) ?? offset;
    node = next.value;
  }
  return offset;
}

interface Child {
  readonly key: Node | null;
  readonly value: Node | null;
}

function childOf(document: Document.Parsed, node: Node | null, step: string | number): Child | undefined {
  const around = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(around)) {
    const value = around.items[step as number];
    return isNode(value) ? { key: null, value } : undefined;
  }
  if (!isMap(around)) return undefined;
  const pair = around.items.find((one) => isPair(one) && keyOf(one) === String(step));
  return pair
    ? { key: nodeOrNull(pair.key), value: nodeOrNull(pair.value) }
    : mergedChild(document, around.items, step);
}

/** A key that came in by `<<`. */
function mergedChild(document: Document.Parsed, pairs: readonly Pair[], step: string | number): Child | undefined {
  const merged = nodeOrNull(pairs.find((one) => keyOf(one) === "<<")?.value);
  const sources = isSeq(merged) ? merged.items.map(nodeOrNull) : [merged];
  return sources.map((source) => source && childOf(document, source, step)).find((found) => found) ?? undefined;
}

/** A merge key is a symbol to the parser. */
function keyOf({ key }: Pair): string {
  const { value } = (key ?? {}) as { readonly value?: unknown };
  return typeof value === "symbol" ? (value.description ?? "") : String(value);
}

const nodeOrNull = (value: unknown): Node | null => (isNode(value) ? value : null);
const startOf = (node: Node | null): number | undefined => node?.range?.[0];
