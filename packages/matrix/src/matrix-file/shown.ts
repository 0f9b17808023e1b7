/** Long enough to be found again in a file. */
const mostCharacters = 60;

/** A value of a file in a sentence. */
export function shown(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value !== "string") return String(value);
  const text = JSON.stringify(value);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…"` : text;
}
