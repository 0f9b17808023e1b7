/** A matrix over instance sizes, run by its command on the twin of EC2 (test/twin): a lane of machines for each size. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { resultSchema, type Result } from "@gatebench/core";
import { openTwin, type Twin } from "./twin";

jest.setTimeout(600_000);

const images = ["node:22.12.0-bookworm-slim", "nicolaka/netshoot:v0.14", "nginx:1.30.4", "gatebench/wrk:4.1.0"];
const gatebench = join(__dirname, "..", "..", "packages/matrix/dist/bin.js");
const folder = mkdtempSync(join(tmpdir(), "gatebench-matrix-ec2-"));
let twin: Twin;

beforeAll(() => {
  twin = openTwin(images);
});
afterAll(async () => {
  await twin.destroy();
  rmSync(folder, { recursive: true, force: true });
});

test("each size has machines of its own, side by side, and they are gone in the end", async () => {
  writeFileSync(
    join(folder, "matrix.yaml"),
    `name: sizes
gateways: [nginx]
generators: [wrk]
loads: [{ connections: 4, duration: 2s }]
warmUp: 1s
repetitions: 2
parallel: 2
budgetUsd: 10
topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large, c5.xlarge]
`,
  );
  const run = promisify(execFile)(process.execPath, [gatebench, "matrix", "matrix.yaml"], {
    cwd: folder,
    env: { ...process.env, ...twin.env },
  });
  let most = 0;
  const watch = setInterval(
    () =>
      void twin
        .machines()
        .then((machines) => (most = Math.max(most, machines.filter(({ running }) => running).length))),
    500,
  );
  const { stdout } = await run.finally(() => clearInterval(watch));
  expect(most).toBe(6);
  expect(stdout).toContain("results, after ");
  const result = JSON.parse(readFileSync(join(folder, "results", "sizes", "result.json"), "utf8")) as Result;
  expect(resultSchema.safeParse(result).error?.issues).toBeUndefined();
  expect(result.cells.map(({ gateway, size }) => [gateway, size.instanceType])).toEqual([
    ["direct", "c5.large"],
    ["nginx", "c5.large"],
    ["direct", "c5.xlarge"],
    ["nginx", "c5.xlarge"],
  ]);
  expect(result.cells.map(({ rps }) => (rps ?? 0) > 100)).toEqual([true, true, true, true]);
  expect((await twin.machines()).filter(({ running }) => running)).toEqual([]);
});
