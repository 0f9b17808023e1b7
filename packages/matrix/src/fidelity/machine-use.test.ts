import { othersIn } from "./machine-use";

const workload = (cpuS: number) => ({ name: "", role: "gateway", cpuS, cores: 1, memoryBytes: 0 });
const run = (cpuFraction: number) => ({
  startedAt: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-01T00:00:02.000Z",
  hosts: [{ cpus: 4, cpuFraction, workloads: [workload(2), workload(1)], harnessCpuS: 0.5 } as never],
});

test("others are what is busy beside workloads, tool and gatebench", () => {
  expect(othersIn(run(0.5))).toBeCloseTo(0.0625);
});

test("readings in ticks can add up to a little more than was busy", () => {
  expect(othersIn(run(0.4))).toBe(0);
});
