import { createHash } from "node:crypto";

/** A short hash of plain data: the same for the same data, whatever the order in which its keys were written. */
export function identityOf(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts, sortedKeys)).digest("hex").slice(0, 20);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
