/** What can be told of an instance type by its name, so that a program can be planned without asking anybody. */
export interface InstanceType {
  readonly name: string;
  /** "c5n" of c5n.9xlarge. */
  readonly family: string;
  readonly architecture: "x86_64" | "arm64";
  /** Its CPU is a credit that runs out: what it gives depends on what it did before. */
  readonly burstable: boolean;
  /** Of the default options; undefined where the name does not tell, as of bare metal. */
  readonly cpus: number | undefined;
  /** Virtual CPUs to a core. */
  readonly threadsPerCore: 1 | 2;
}

const written = /^([a-z]+\d+[a-z0-9-]*)\.(nano|micro|small|medium|large|(\d*)xlarge|metal(?:-\d+xl)?)$/;

/** undefined: nothing of that form is an instance type. */
export function instanceTypeNamed(name: string): InstanceType | undefined {
  const [, family, size, times] = written.exec(name) ?? [];
  if (family === undefined || size === undefined) return undefined;
  const architecture = /^a1$|^[a-z]+\d+g/.test(family) ? "arm64" : "x86_64";
  const oneThread = architecture === "arm64" || family === "t2" || /^[a-z]+[78][a-z]*a/.test(family);
  return {
    ...{ name, family, architecture, burstable: /^t\d/.test(family) },
    cpus: cpusOf(family, size, times),
    threadsPerCore: oneThread ? 1 : 2,
  };
}

/** An xlarge has four in every family; "9xlarge" nine times as many. Smaller ones follow the family. */
function cpusOf(family: string, size: string, times: string | undefined): number | undefined {
  if (size.endsWith("xlarge")) return 4 * Number(times || 1);
  if (size === "large") return 2;
  if (size === "medium") return /^t/.test(family) ? 2 : 1;
  if (/^(nano|micro|small)$/.test(size)) return family === "t2" ? 1 : 2;
  return Number(/^metal-(\d+)xl$/.exec(size)?.[1] ?? NaN) * 4 || metal[family];
}

/** Bare metal says nothing of its size. As EC2's instance type pages state it. */
const metal: Readonly<Record<string, number>> = {
  ...{ c5: 96, c5d: 96, c5n: 72, c6g: 64, c6gd: 64, c6i: 128, c6id: 128, c6in: 128, c6a: 192 },
  ...{ m5: 96, m5d: 96, m5n: 96, m5zn: 48, m6g: 64, m6i: 128, m6a: 192, r5: 96, r6g: 64, r6i: 128, z1d: 48 },
};
