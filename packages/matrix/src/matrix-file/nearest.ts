import { distance } from "fastest-levenshtein";

/** Two letters that changed places are two edits; more in longer names. */
const mostEdits = (written: string): number => Math.max(2, Math.floor(written.length / 3));

/** `; did you mean nginx?` where one of the names is nearly what was written, else nothing. */
export function didYouMean(written: string, names: readonly string[]): string {
  const [nearest] = names
    .map((name) => ({ name, edits: distance(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= mostEdits(written) && edits < Math.min(name.length, written.length))
    .sort((a, b) => a.edits - b.edits);
  return nearest ? `; did you mean ${nearest.name}?` : "";
}
