/**
 * A gateway in a package outside this repository, written against the published contract only: named by path or by
 * package it is measured like ours, and nothing here knows of it.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultSchema, type GatewayAdapter } from "@gatebench/core";
import { gatewayLaws } from "@gatebench/core/laws";
import { leftBehind } from "./rig";

jest.setTimeout(120_000);

const repository = join(__dirname, "..", "..");
const cli = join(repository, "packages/matrix/dist/bin.js");
const elsewhere = mkdtempSync(join(tmpdir(), "gatebench-elsewhere-"));
const home = join(elsewhere, "node_modules", "a-small-gateway");

beforeAll(() => {
  mkdirSync(join(elsewhere, "node_modules", "@gatebench"), { recursive: true });
  symlinkSync(join(repository, "packages", "core"), join(elsewhere, "node_modules", "@gatebench", "core"));
  cpSync(join(__dirname, "small-gateway"), home, { recursive: true });
});
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

test("it keeps the laws every gateway keeps", () => {
  const { small } = jest.requireActual<{ small: () => GatewayAdapter }>(home);
  for (const law of gatewayLaws) law.check(small());
});

test("its name is a package's name", () => {
  const args = [cli, "needs", "bench", "--gateway", "a-small-gateway", "--scenario", "plain", "--generator", "wrk"];
  const needed = JSON.parse(execFileSync(process.execPath, args, { cwd: elsewhere, encoding: "utf8" })) as string[];
  expect(needed).toEqual(expect.arrayContaining(["node", "wrk"]));
});

test("named by path, it is deployed, verified and measured to the end", () => {
  const options = ["--quick", "--scenario", "plain", "--generator", "wrk", "--duration", "1s", "--connections", "8"];
  const args = [cli, "bench", "--gateway", "./node_modules/a-small-gateway/index.cjs", ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: elsewhere, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.stringContaining("a-small-gateway")]);
  expect(stdout).toMatch(/^a-small-gateway +plain +[\d,]+ /m);
  const [at = ""] = readdirSync(join(elsewhere, "results"));
  const text = readFileSync(join(elsewhere, "results", at, "result.json"), "utf8");
  const [direct, small] = resultSchema.parse(JSON.parse(text)).cells;
  expect([direct?.gateway, small?.gateway]).toEqual(["direct", "a-small-gateway"]);
  expect(small?.rps).toBeGreaterThan(0);
  expect(small?.verification.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(small?.verdict.rps).toBe("indicative");
  expect(small?.byHand).toMatch(/^wrk .* -s raw\/wrk-plain\/a-small-gateway\/\d+-\w+\/wrk\.lua http:\/\/127\.0\.0\.1:/);
  expect(leftBehind()).toEqual([]);
});
