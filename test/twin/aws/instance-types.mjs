/**
 * Sizes of EC2, as DescribeInstanceTypes states them: processors, memory, architecture, burstable or not. A size of a
 * family has the same processors in every family; memory follows from them, save where it is listed.
 */
const XLARGE = ["xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge"];
const FIFTH = ["large", "xlarge", "2xlarge", "4xlarge", "9xlarge", "12xlarge", "18xlarge", "24xlarge", "metal"];
const GRAVITON = ["medium", "large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"];
const T = ["nano", "micro", "small", "medium", "large", "xlarge", "2xlarge"];
const T_MEMORY = { nano: 0.5, micro: 1, small: 2, medium: 4, large: 8, xlarge: 16, "2xlarge": 32 };

/** @type {Record<string, { sizes: string[], gib: number | Record<string, number>, arm?: boolean, threads?: number, burstable?: boolean, cpus?: Record<string, number> }>} */
const families = {
  c5: { sizes: FIFTH, gib: 2, cpus: { metal: 96 } },
  c5n: {
    sizes: ["large", "xlarge", "2xlarge", "4xlarge", "9xlarge", "18xlarge"],
    gib: { large: 5.25, xlarge: 10.5, "2xlarge": 21, "4xlarge": 42, "9xlarge": 96, "18xlarge": 192 },
  },
  c6i: { sizes: ["large", ...XLARGE, "32xlarge"], gib: 2 },
  c7i: { sizes: ["large", ...XLARGE, "48xlarge"], gib: 2 },
  c6g: { sizes: GRAVITON, gib: 2, arm: true, threads: 1 },
  c7g: { sizes: GRAVITON, gib: 2, arm: true, threads: 1 },
  m4: { sizes: ["large", "xlarge", "2xlarge", "4xlarge", "10xlarge", "16xlarge"], gib: 4 },
  m5: { sizes: ["large", ...XLARGE], gib: 4 },
  m6i: { sizes: ["large", ...XLARGE, "32xlarge"], gib: 4 },
  m7i: { sizes: ["large", ...XLARGE, "48xlarge"], gib: 4 },
  r5: { sizes: ["large", ...XLARGE], gib: 8 },
  r6i: { sizes: ["large", ...XLARGE, "32xlarge"], gib: 8 },
  t2: { sizes: T, gib: T_MEMORY, burstable: true, threads: 1, cpus: { nano: 1, micro: 1, small: 1, medium: 2 } },
  t3: { sizes: T, gib: T_MEMORY, burstable: true, cpus: { nano: 2, micro: 2, small: 2, medium: 2 } },
  t3a: { sizes: T, gib: T_MEMORY, burstable: true, cpus: { nano: 2, micro: 2, small: 2, medium: 2 } },
  t4g: {
    sizes: T,
    gib: T_MEMORY,
    burstable: true,
    arm: true,
    threads: 1,
    cpus: { nano: 2, micro: 2, small: 2, medium: 2 },
  },
};

const MIB_PER_GIB = 1024;

export const allInstanceTypes = Object.entries(families).flatMap(([family, { sizes }]) =>
  sizes.map((size) => `${family}.${size}`),
);

/** @param {string} name @returns what `aws.ec2.getInstanceType` tells of it, as far as the twin knows; undefined: no such type */
export function instanceType(name) {
  const [family, size] = name.split(".");
  const known = families[family];
  if (!known?.sizes.includes(size)) return undefined;
  const { gib, arm = false, threads = 2, burstable = false, cpus = {} } = known;
  const vcpus = cpus[size] ?? processors(size);
  return {
    instanceType: name,
    defaultVcpus: vcpus,
    defaultCores: vcpus / threads,
    defaultThreadsPerCore: threads,
    memorySize: (typeof gib === "number" ? gib * vcpus : gib[size]) * MIB_PER_GIB,
    supportedArchitectures: [arm ? "arm64" : "x86_64"],
    burstablePerformanceSupported: burstable,
    bareMetal: size === "metal",
    supportedPlacementStrategies: burstable ? ["partition", "spread"] : ["cluster", "partition", "spread"],
  };
}

/** medium has one, large two, xlarge four, Nxlarge four times N. */
function processors(size) {
  if (size === "medium") return 1;
  if (size === "large") return 2;
  return 4 * Number(/^(\d*)xlarge$/.exec(size)?.[1] || 1);
}

/** Architecture in common: without, a change of type is a new instance. */
export const canChange = (from, to) => {
  const [before, after] = [instanceType(from), instanceType(to)];
  return !before || !after || before.supportedArchitectures[0] === after.supportedArchitectures[0];
};
