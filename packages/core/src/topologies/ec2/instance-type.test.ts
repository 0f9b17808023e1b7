import { instanceTypeNamed } from "./instance-type";

test.each([
  ["c5.large", 2],
  ["c5.xlarge", 4],
  ["c5.9xlarge", 36],
  ["c5n.9xlarge", 36],
  ["c7i.48xlarge", 192],
  ["c5.metal", 96],
  ["c7i.metal-24xl", 96],
  ["t3.small", 2],
  ["t2.micro", 1],
  ["c6g.medium", 1],
  ["x9new.metal", undefined],
])("%s has %s CPUs", (name, cpus) => {
  expect(instanceTypeNamed(name)?.cpus).toBe(cpus);
});

test.each([
  ["c6g.large", "arm64"],
  ["c7gn.xlarge", "arm64"],
  ["a1.large", "arm64"],
  ["t4g.small", "arm64"],
  ["c5n.large", "x86_64"],
  ["g5.xlarge", "x86_64"],
  ["m6idn.large", "x86_64"],
])("%s is %s", (name, architecture) => {
  expect(instanceTypeNamed(name)?.architecture).toBe(architecture);
});

test("one CPU to a core where there are no threads: Graviton, t2, AMD since the seventh generation", () => {
  const threads = (name: string) => instanceTypeNamed(name)?.threadsPerCore;
  expect(["c6g.large", "t2.large", "c7a.large", "m8a.xlarge"].map(threads)).toEqual([1, 1, 1, 1]);
  expect(["c5.large", "c6a.large", "c7i.large"].map(threads)).toEqual([2, 2, 2]);
});

test("burstable families are told by their letter", () => {
  expect(["t3.large", "t4g.small", "c5.large"].map((name) => instanceTypeNamed(name)?.burstable)).toEqual([
    true,
    true,
    false,
  ]);
});

test.each(["", "c5", "c5.", "c5.huge", "9xlarge", "C5.large", "c5.large "])("%j is no instance type", (name) => {
  expect(instanceTypeNamed(name)).toBeUndefined();
});
