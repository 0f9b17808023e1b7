/** The same text for the same data, whatever the order it was said in. */
export const canonical = (value: unknown): string => JSON.stringify(value, inOrder) ?? "none";

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
