/** A benchmark on three machines that are reached over SSH: the twin's (test/twin), with real sshd and real Docker each. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nginx } from "@gatebench/gateways";
import { goBenchSuite } from "@gatebench/core/upstreams";
import { benchProgram, openRig, plain, type Bench, type Rig, type Seen } from "./rig";
import { openMachines, sshImages, type SshMachines } from "./ssh-machines";

jest.setTimeout(180_000);

let ssh: SshMachines;
let rig: Rig;

beforeAll(async () => {
  ssh = await openMachines([...sshImages, "mangomm/go-bench-suite:latest"]);
  rig = await openRig("ssh");
});
afterAll(async () => {
  await rig.destroy().finally(() => ssh.twin.destroy());
});

async function measured(bench: Bench = {}): Promise<Seen> {
  const targets = { nginx: { adapter: nginx(), scenario: plain } };
  const { program, seen } = benchProgram({ targets, ...bench }, () => ssh.site());
  await rig.up(program);
  return seen;
}

test("the gateway is verified and measured, each host observed at the edges of every run", async () => {
  const { cells, verifications, runs } = await measured();
  expect(verifications.nginx?.laws.filter(({ finding }) => finding.verdict !== "held")).toEqual([]);
  expect(runs.map(({ outcome }) => ("failure" in outcome ? outcome.failure : "result"))).toEqual(["result", "result"]);
  const [hosts = []] = runs.map((run) => run.hosts);
  expect(Object.fromEntries(hosts.map(({ host, roles }) => [host, roles]))).toEqual({
    ...{ generator: ["generator"], gateway: ["gateway"], upstream: ["upstream"] },
  });
  for (const { workloads } of hosts) expect(workloads).toEqual([expect.objectContaining({ cpuS: expect.any(Number) })]);
  expect(cells.nginx?.rps).toBeGreaterThan(100);
});

test("raw output of every run is brought here, byte for byte; a second up brings nothing", async () => {
  const results = mkdtempSync(join(tmpdir(), "gatebench-results-"));
  const { runs } = await measured({ results });
  for (const { artifacts, target, order, id } of runs) {
    const folder = join(results, "raw", "bench", target, `00${order}-${id}`);
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const sums = found.map(({ parentPath, name }) => sumOf(join(parentPath, name)));
    expect(artifacts.map(({ path }) => path)).toEqual(expect.arrayContaining(["stdout", "counters.json"]));
    expect(sums.toSorted()).toEqual(artifacts.map(({ sha256 }) => sha256).toSorted());
  }
  expect(runs).toHaveLength(2);
  rmSync(results, { recursive: true });
  await measured({ results });
  expect(existsSync(results)).toBe(false);
});

const sumOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

test("go-bench-suite is started out of its image's own folder, and verified as on one machine", async () => {
  const { cells, verifications } = await measured({ app: goBenchSuite() });
  const untested = verifications.nginx?.laws.filter(({ finding }) => finding.verdict !== "held");
  expect(untested?.map(({ finding }) => finding)).toEqual([
    { verdict: "untested", reason: "the upstream counts nothing" },
    { verdict: "untested", reason: "the upstream counts nothing" },
  ]);
  expect(cells.nginx?.rps).toBeGreaterThan(100);
});
