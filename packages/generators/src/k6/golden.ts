import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The text stands word for word in `golden/`; written anew with UPDATE_GOLDEN=1, and then reviewed. For tests. */
export function expectGolden(file: string, text: string): void {
  const path = join(__dirname, "golden", file);
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
}
