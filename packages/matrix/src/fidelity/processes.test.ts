import { harness, partOf, processes, processIn, type Process } from "./processes";

const place = "gatebench-bench-fidelity-site-host-12345678";
const agent = "/x/hosts/agent/main.js";
type Line = readonly [pid: number, parent: number, group: number, name: string, ...argv: string[]];

const machine: readonly Line[] = [
  [1, 0, 1, "init", "init"],
  [10, 1, 10, "bash", "bash"],
  [20, 10, 20, "npm", "npm run bench:fidelity"],
  [21, 20, 20, "node", "node", "run.mjs"],
  [22, 21, 20, "node", "node", "bin.js", "fidelity"],
  [30, 22, 20, "pulumi", "/cache/pulumi", "up"],
  [31, 30, 20, "node", "node", "/bin/pulumi-resource-command", "127.0.0.1:1"],
  [32, 31, 32, "node", "node", agent, "run-job"],
  [40, 32, 40, "node", "node", agent, "supervise", place, "/state/job"],
  [41, 40, 40, "wrk", "wrk", "-t2"],
  [50, 1, 50, "node", "node", agent, "sampler", place, "/state/session"],
  [51, 1, 51, "node", "node", agent, "sampler", "another-place", "/state/session"],
  [60, 1, 60, "nginx", `nginx: master process nginx -p /state/${place}`],
];

function harnessOf(lines: readonly Line[]): ReadonlyMap<number, string> {
  const all = lines.map(([pid, parent, group, name]): Process => ({ pid, parent, group, name }));
  const argv = (wanted: number) => lines.find(([pid]) => pid === wanted)?.slice(4) as string[];
  return harness(all, { runner: 22, place, tool: 41 }, argv);
}

test("ours is the runner's tree, the set-up above it and what names our place, without the tool", () => {
  expect([...harnessOf(machine)]).toEqual([
    [22, "runner"],
    [21, "set-up"],
    [20, "set-up"],
    [30, "engine"],
    [31, "pulumi-resource-command"],
    [32, "waiter"],
    [40, "supervisor"],
    [50, "sampler"],
  ]);
});

test("a supervisor that its waiter has left is still ours", () => {
  const left = machine.map(([pid, parent, ...rest]): Line => [pid, pid === 40 ? 1 : parent, ...rest]);
  expect(harnessOf(left).get(40)).toBe("supervisor");
  expect(harnessOf(left).has(41)).toBe(false);
});

test("what else the engine starts goes by its own name", () => {
  expect(partOf(["/usr/bin/sh", "-c", "true"])).toBe("sh");
  expect(partOf(["node", agent, "start-workload"])).toBe("node");
});

test("a name in brackets may hold what it likes", () => {
  expect(processIn("7 (a) (b c) S 1 9 0")).toEqual({ pid: 7, parent: 1, group: 9, name: "a) (b c" });
});

test("this process is among those of the machine", () => {
  expect(processes().find(({ pid }) => pid === process.pid)?.parent).toBe(process.ppid);
});
