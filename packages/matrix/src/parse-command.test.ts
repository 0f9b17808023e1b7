import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeOutput } from "@gatebench/core/testing";
import { parsedFiles } from "./parse-command";

const folder = mkdtempSync(join(tmpdir(), "gatebench-parse-"));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
/** The generator of these tests, as anybody's own would be named. */
const fake = written(
  "fake.cjs",
  `exports.fake = () => require(${JSON.stringify(require.resolve("@gatebench/core/testing"))}).fakeGenerator();`,
);
const one = written("one.txt", fakeOutput({ ok: 100, seconds: 10 }).stdout);
const other = written("other.txt", fakeOutput({ ok: 300, bad: 20, seconds: 10 }).stdout);

test("an output is printed as every result is", async () => {
  expect(await parsedFiles(fake, [one], "0")).toMatchObject({ responses: 100, durationS: 10, latencyMs: { p99: 2 } });
});

test("outputs of several processes are one load; without histograms it has no P99, and says why", async () => {
  expect(await parsedFiles(fake, [one, other], "0")).toMatchObject({
    ...{ responses: 420, statuses: { "200": 400, "429": 20 }, latencyMs: { p99: null } },
    caveats: ["not-merged"],
  });
});

test("each file that is not understood is a line of its own", async () => {
  const [foreign, gone] = [written("foreign.txt", "502 Bad Gateway"), join(folder, "gone.txt")];
  await expect(parsedFiles(fake, [one, foreign, gone], "0")).rejects.toThrow(
    `unparsed-output: ${foreign}: fake-load: "502 Bad Gateway"\ninvalid-option: ${gone}: it cannot be read (ENOENT: no such file or directory, open '${gone}').`,
  );
});

test("an output of a tool that failed gives no figures", async () => {
  await expect(parsedFiles(fake, [one], "1")).rejects.toThrow(`unparsed-output: ${one}: fake-load`);
});

test("a tool nobody knows, and an exit code there cannot be", async () => {
  await expect(parsedFiles("siege", [one], "many")).rejects.toThrow(
    /^unknown-generator: "siege" is not one of .*\ninvalid-option: --exit-code: "many" is not a whole number from 0 to 255\.$/,
  );
});
