import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Artifact } from "../../contract";
import { collectArtifacts } from "./collected-artifacts";
import { artifact } from "./files";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "gatebench-collect-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const files = { stdout: "75,000 requests", "scripts/load.lua": "-- a script" };

/** A job's folder, with more in it than a run's artifacts. */
function left() {
  const folder = join(root, "job");
  for (const [path, text] of Object.entries({ ...files, "order.json": "{}" })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const artifacts = Object.keys(files).map((path) => artifact(folder, path));
  return { label: "local", folder, artifacts, to: join(root, "results", "raw", "001") };
}
const kept = (path: string) => readFileSync(join(root, "results", "raw", "001", path), "utf8");
const everything = () => readdirSync(join(root, "results", "raw"));

test("what a run left is here afterwards, byte for byte, and nothing else", async () => {
  await collectArtifacts(left());
  expect(Object.keys(files).map(kept)).toEqual(Object.values(files));
  expect(readdirSync(join(root, "results", "raw", "001")).toSorted()).toEqual(["scripts", "stdout"]);
});

test("what is here already is not fetched again, though it be gone where it came from", async () => {
  const collection = left();
  await collectArtifacts(collection);
  rmSync(collection.folder, { recursive: true });
  await collectArtifacts(collection);
  expect(kept("stdout")).toBe(files.stdout);
});

test("a path that leads out of the folder is refused: a host says what it is called", async () => {
  const collection = left();
  const artifacts = [{ ...(collection.artifacts[0] as Artifact), path: "../stdout" }];
  await expect(collectArtifacts({ ...collection, artifacts })).rejects.toThrow(/: \.\.\/stdout lies outside\. Run up/);
  expect(readdirSync(root)).toEqual(["job"]);
});

test.each<[string, (folder: string) => void]>([
  ["changed", (folder) => writeFileSync(join(folder, "stdout"), "75,001 requests")],
  ["gone", (folder) => rmSync(join(folder, "stdout"))],
])("output that is %s since the run is told, and no part of it is kept", async (_, change) => {
  const collection = left();
  change(collection.folder);
  await expect(collectArtifacts(collection)).rejects.toThrow(
    `artifacts-lost: raw output of a run in ${collection.folder} of local could not be copied here: stdout is not what the run left there. Run up again;`,
  );
  expect(everything()).toEqual([]);
});
