import { cpuMicrosPerRequest, roleBusy, usageOver, type HostSample } from ".";

const host = { name: "local", roles: ["gateway", "generator"], cpus: 2 };
const gateway = { name: "nginx", role: "gateway", cores: 1 };

/** A host whose first CPU is busy all the time, the second a quarter; the gateway uses 0.5 s each second. */
function sampleAt(atS: number, changes: Partial<HostSample> = {}): HostSample {
  return {
    atMs: atS * 1000,
    cpus: [
      { busyS: atS, totalS: atS, softirqS: atS / 10, stealS: 0 },
      { busyS: atS / 4, totalS: atS, softirqS: 0, stealS: atS / 10 },
    ],
    memoryUsedBytes: 1000 + atS,
    network: { receivedBytes: 10 * atS, sentBytes: 20 * atS },
    tcp: { sentSegments: 100 * atS, retransmittedSegments: 0, listenOverflows: 3 },
    workloads: { nginx: { cpuS: atS / 2, memoryBytes: 50 + atS } },
    harnessCpuS: atS / 100,
    ...changes,
  };
}

const samples = (...atS: number[]): HostSample[] => atS.map((second) => sampleAt(second));
const window = (startS: number, endS: number) => ({ startMs: startS * 1000, endMs: endS * 1000 });

test("counters between two samples are read in proportion to time", () => {
  const usage = usageOver(samples(10, 12, 14, 16), window(11, 15), host, [gateway])!;
  expect(usage.network).toEqual({ receivedBytes: 40, sentBytes: 80 });
  expect(usage.workloads).toEqual([{ ...gateway, cpuS: 2, memoryBytes: 66 }]);
  expect(usage.harnessCpuS).toBeCloseTo(0.04, 12);
  expect(usage.samples).toBe(2);
});

test("fractions are of the CPUs, and the busiest is told apart", () => {
  const usage = usageOver(samples(10, 20), window(10, 20), host, [])!;
  expect(usage).toMatchObject({ host: "local", roles: host.roles, cpus: 2, cpuFraction: 0.625, busiestCpuFraction: 1 });
  expect(usage.softirqFraction).toBeCloseTo(0.05, 12);
  expect(usage.stealFraction).toBeCloseTo(0.05, 12);
});

test("what runs beside those that are loaded is told apart, and not where it rests", () => {
  const beside = (cpuS: number) => ({
    workloads: { nginx: { cpuS: 1, memoryBytes: 1 }, envoy: { cpuS, memoryBytes: 1 } },
  });
  const idleFrom = (first: number, last: number) =>
    usageOver([sampleAt(10, beside(first)), sampleAt(20, beside(last))], window(10, 20), host, [gateway])!.idle;
  expect(idleFrom(1, 1.5)).toEqual({ envoy: 0.5 });
  expect(idleFrom(1, 1)).toEqual({});
});

test("memory is the most that was seen", () => {
  const peak = sampleAt(12, { memoryUsedBytes: 9999 });
  expect(usageOver([sampleAt(10), peak, sampleAt(14)], window(10, 14), host, [])!.memoryUsedBytes).toBe(9999);
});

test("what happened outside the window is not counted", () => {
  const wide = usageOver(samples(1, 5, 10, 15, 20, 99), window(10, 20), host, [gateway]);
  expect(wide).toEqual(usageOver(samples(10, 15, 20), window(10, 20), host, [gateway]));
});

test("samples out of order give the same usage", () => {
  expect(usageOver(samples(16, 10, 14, 12), window(11, 15), host, [gateway])).toEqual(
    usageOver(samples(10, 12, 14, 16), window(11, 15), host, [gateway]),
  );
});

test("where samples begin late the rest is taken to have gone on at the same rate", () => {
  const usage = usageOver(samples(11, 12, 19), window(10, 20), host, [gateway])!;
  expect(usage.workloads[0]!.cpuS).toBeCloseTo(5, 12);
  expect(usage.cpuFraction).toBeCloseTo(0.625, 12);
});

test("samples of less than half of the window say nothing", () => {
  for (const few of [[], [15], [10, 14], [1, 2], [30, 40]]) {
    expect(usageOver(samples(...few), window(10, 20), host, [])).toBeUndefined();
  }
});

test("a workload that was restarted or away is left out, never negative", () => {
  const restarted = sampleAt(14, { workloads: { nginx: { cpuS: 0.1, memoryBytes: 1 } } });
  const away = sampleAt(14, { workloads: {} });
  for (const odd of [restarted, away]) {
    const usage = usageOver([...samples(10, 12), odd, ...samples(16, 18)], window(10, 18), host, [gateway])!;
    expect(usage.workloads).toEqual([]);
    expect(usage.network.sentBytes).toBe(160);
  }
});

test("a host whose counters went backwards says nothing", () => {
  const rebooted = sampleAt(14, { network: { receivedBytes: 0, sentBytes: 0 } });
  expect(usageOver([sampleAt(10), rebooted, sampleAt(18)], window(10, 18), host, [])).toBeUndefined();
  const lostCpu = sampleAt(18, { cpus: sampleAt(18).cpus.slice(0, 1) });
  expect(usageOver([sampleAt(10), lostCpu], window(10, 18), host, [])).toBeUndefined();
});

test("what a host cannot tell is null; what it can is counted", () => {
  expect(usageOver(samples(10, 20), window(10, 20), host, [])).toMatchObject({ throttledS: null, allowance: null });
  const told = (atS: number) => sampleAt(atS, { throttledS: atS, allowance: { bw_in_allowance_exceeded: 7 * atS } });
  expect(usageOver([told(10), told(12)], window(10, 12), host, [])).toMatchObject({
    throttledS: 2,
    allowance: { bw_in_allowance_exceeded: 14 },
  });
});

test("a role's CPU is held against its cores and the tool's time", () => {
  const usage = usageOver(samples(10, 20), window(10, 20), host, [gateway])!;
  expect(roleBusy([usage], "gateway", { durationS: 10 })).toBeCloseTo(0.5, 12);
  expect(roleBusy([usage], "upstream", { durationS: 10 })).toBeUndefined();
  expect(cpuMicrosPerRequest([usage], 100_000)).toBeCloseTo(50, 12);
  expect(cpuMicrosPerRequest([usage], 0)).toBeUndefined();
});
