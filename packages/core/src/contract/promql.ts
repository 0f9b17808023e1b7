import type { LRParser } from "@lezer/lr";

/**
 * Prometheus' own grammar, as its web page uses it. Its types say ES module where its code for `require` is none, so
 * that a plain import is refused.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { parser } = require("@prometheus-io/lezer-promql") as { readonly parser: LRParser };

/** Where a text stops being PromQL; undefined where it is. What only Prometheus knows, such as a function's arguments, is left to it. */
export function promqlErrorAt(text: string): number | undefined {
  const errors: number[] = [];
  parser.parse(text).iterate({ enter: ({ type, from }) => void (type.isError && errors.push(from)) });
  return errors.length === 0 ? undefined : Math.min(...errors);
}

/** A metric's name and label matchers, and nothing around them. */
export function isSelector(text: string): boolean {
  const { firstChild, lastChild } = parser.parse(text).topNode;
  return firstChild?.name === "VectorSelector" && lastChild?.from === firstChild.from;
}
