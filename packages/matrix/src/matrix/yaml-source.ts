import { fault, refuse } from "@gatebench/core";
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
  type Pair,
} from "yaml";
import type { FilePath } from "./matrix";
import { placed, type MatrixSource, type Position } from "./matrix-source";

/** The text of a YAML (or JSON) matrix, or every mistake of its form at once. */
export function yamlSource(path: string, text: string): MatrixSource {
  const lines = new LineCounter();
  const say = (message: string, offset: number): void => {
    const source = { path, value: undefined, position: () => positionAt(lines, offset) };
    refuse(placed(source, [{ ...fault("invalid-matrix", message), at: [] }]));
  };
  const found = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const documents = Array.isArray(found) ? (found as Document.Parsed[]) : [];
  const faults = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  const all = { path, value: undefined };
  refuse(
    faults.flatMap(({ code, message, pos: [offset] }) =>
      placed({ ...all, position: () => positionAt(lines, offset) }, [
        { ...fault("invalid-matrix", ownWords[code] ?? asIs(message)), at: [] },
      ]),
    ),
  );
  const [document, second] = documents;
  if (!document || document.contents === null) say(empty, 0);
  if (second) say(several, second.range[0]);
  const { contents } = document as Document.Parsed;
  return {
    path,
    value: plain(document as Document.Parsed, (message) => say(message, contents?.range?.[0] ?? 0)),
    position: (at, what) => positionAt(lines, offsetOf(document as Document.Parsed, at, what)),
  };
}

const empty = 'the file is empty. Begin it with "name: " and "gateways: ".';
const several = 'a second document begins here. A file is one matrix; drop the "---", or make it another file.';

/** What the parser says in the words of those who write parsers. */
const ownWords: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key stands here twice. Keep one of them.",
  TAB_AS_INDENT: "a tab stands at the beginning of the line. Indent with blanks.",
  MULTIPLE_DOCS: several,
};

const asIs = (message: string): string => `this is no YAML: ${message.replace(/\.?$/, ".")}`;

/** Aliases are followed only so far: a few lines can stand for billions. */
function plain(document: Document.Parsed, say: (message: string) => void): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return say(`${(error as Error).message}.`);
  }
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  // A byte order mark takes a column that nobody sees.
  return { line, column: Math.max(1, col) };
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

const keyOf = ({ key }: Pair): string => String((key as { readonly value?: unknown } | null)?.value);
const nodeOrNull = (value: unknown): Node | null => (isNode(value) ? value : null);
const startOf = (node: Node | null): number | undefined => node?.range?.[0];
