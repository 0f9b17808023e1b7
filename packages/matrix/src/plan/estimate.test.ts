import { lineOf } from "@gatebench/core";
import { datedPrices, type PriceTable } from "../prices";
import { estimate } from "./estimate";
import { budgetFaults, ttlFaults } from "./estimate-faults";
import { ec2, eks, local, sampleMatrix, ssh, type SampleChanges, type SampleMatrix } from "./sample-matrix";
import { overheadS } from "./time-needed";

const of = ({ matrix, expansion }: SampleMatrix, prices: PriceTable = datedPrices) =>
  estimate(expansion, matrix, prices);
const on = (topology: Parameters<typeof sampleMatrix>[0], changes?: SampleChanges) =>
  of(sampleMatrix(topology, changes));
const five = { repetitions: 5, warmUp: "5s", coolDown: "2s" } as const;

describe("time", () => {
  test("is warm-ups, loads, cool-downs and what goes on besides, of every target", () => {
    const [lane] = on(local, { file: five }).lanes;
    const besidesS = 12 * overheadS.run + 2 * overheadS.verification + overheadS.deployment.local;
    expect(lane?.time).toEqual({
      ...{ runs: 12, deployments: 1, warmUpS: 10, loadS: 100, coolDownS: 20, besidesS },
      totalS: 130 + besidesS,
    });
  });

  test("is that of every round, where each deploys anew", () => {
    const [lane] = on(ssh, { file: { ...five, rounds: "redeployed" }, maxRuns: 2 }).lanes;
    const besidesS = 5 * (4 * overheadS.run + 2 * overheadS.verification + overheadS.deployment.ssh);
    expect(lane?.time).toMatchObject({ runs: 20, deployments: 5, warmUpS: 50, loadS: 100, coolDownS: 20, besidesS });
  });

  test("counts probes of a climb as short, and no warm-up where there is none", () => {
    const load = { model: "closed", connections: 1, duration: "1m" } as const;
    const [climb] = on(local, { load, file: five, maxRuns: 12 }).lanes;
    expect(climb?.time).toMatchObject({ runs: 24, warmUpS: 10, loadS: 2 * (5 * 60 + 6 * 15) });
    const [cold] = on(local, { file: { ...five, warmUp: "0s" }, maxRuns: 5 }).lanes;
    expect(cold?.time).toMatchObject({ runs: 10, warmUpS: 0, loadS: 100 });
  });

  test("of a load that ends by count is a guess of ten seconds, its warm-up too", () => {
    const load = { model: "iterations", users: 50, perUser: 100 } as const;
    expect(on(local, { load, file: five }).lanes[0]?.time).toMatchObject({ warmUpS: 20, loadS: 100 });
  });

  test("of lanes side by side is that of the longest row of them", () => {
    const sizes = ["c5.large", "c5.xlarge", "c5.2xlarge"];
    const file = { budgetUsd: 10 };
    const alone = on(ec2, { sizes, file }).lanes[0]?.time.totalS as number;
    expect(on(ec2, { sizes, file }).wallS).toBeCloseTo(3 * alone);
    expect(on(ec2, { sizes, file: { ...file, parallel: 2 } }).wallS).toBeCloseTo(2 * alone);
    expect(on(ec2, { sizes, file: { ...file, parallel: 8 } }).wallS).toBeCloseTo(alone);
  });
});

describe("hosts", () => {
  const roles = (topology: Parameters<typeof sampleMatrix>[0], changes?: SampleChanges) =>
    on(topology, changes).lanes[0]?.hosts.map(({ role, count, instanceType, host }) => [
      role,
      count,
      instanceType ?? host,
    ]);

  test("on EC2 are those of each role, and as many workers as a generator is given", () => {
    expect(roles(ec2)).toEqual([
      ["upstream", 1, "c5.xlarge"],
      ["gateway", 1, "c5.large"],
      ["generator", 1, "c5.2xlarge"],
    ]);
    expect(roles({ ...ec2, worker: "c5n.large" }, { workers: 3 })?.[3]).toEqual(["worker", 3, "c5n.large"]);
    expect(roles(ec2, { workers: 2 })?.[3]).toEqual(["worker", 2, "c5.2xlarge"]);
  });

  test("on EKS are nodes, besides one for the cluster itself and two for an authorizer where a type is given", () => {
    expect(roles({ ...eks, service: "t3.medium" })).toEqual([
      ["upstream", 1, "c5.xlarge"],
      ["gateway", 1, "c5.large"],
      ["generator", 1, "c5.2xlarge"],
      ["service", 2, "t3.medium"],
      ["system", 1, "m5.large"],
    ]);
  });

  test("elsewhere are somebody's own, and cost nothing", () => {
    expect(roles(ssh, { workers: 1 })).toEqual([
      ["upstream", 1, "up.example"],
      ["gateway", 1, "gw.example"],
      ["generator", 1, "gen.example"],
      ["worker", 1, "w1.example"],
    ]);
    expect(roles(local)).toEqual([["all roles", 1, "this machine"]]);
    expect([on(ssh), on(local)].map(({ usd, quotas }) => [usd, quotas])).toEqual([
      [0, []],
      [0, []],
    ]);
  });
});

describe("cost", () => {
  /** c5.xlarge, c5.large, c5.2xlarge; and an address and 30 GiB for each. */
  const perHour = 0.17 + 0.085 + 0.34 + 3 * (0.005 + (30 * 0.08) / 730);

  test("is the hourly price of all machines, addresses and disks, for as long as the lane takes", () => {
    const { lanes, usd } = on(ec2);
    expect(usd).toBeCloseTo((perHour * (lanes[0]?.time.totalS as number)) / 3600, 8);
  });

  test("until machines end themselves is that of their time to live, and of the deployments before", () => {
    expect(on(ec2).usdUntilTtl).toBeCloseTo(perHour, 8);
    const { lanes, usdUntilTtl } = on(ec2, { file: { ...five, rounds: "redeployed" }, maxRuns: 2 });
    const before = (lanes[0]?.time.totalS as number) * 0.8;
    expect(usdUntilTtl).toBeCloseTo((perHour * (before + 3600)) / 3600, 8);
  });

  test("of a cluster has that of its control plane besides, and does not end by itself", () => {
    const { lanes, usd, usdUntilTtl } = on(eks);
    const nodes = perHour + 0.096 + 0.005 + (30 * 0.08) / 730;
    expect(usd).toBeCloseTo(((nodes + 0.1) * (lanes[0]?.time.totalS as number)) / 3600, 8);
    expect([usdUntilTtl, lanes[0]?.ttl]).toEqual([null, undefined]);
  });

  test("is not known where a type has no price, and says which", () => {
    const { usd, usdUntilTtl, unpriced } = on({ ...ec2, generator: "c9x.2xlarge", region: "eu-central-1" });
    expect([usd, usdUntilTtl]).toEqual([null, null]);
    expect(unpriced.map(({ instanceType, region }) => `${instanceType} ${region}`)).toEqual([
      ...["c5.xlarge eu-central-1", "c5.large eu-central-1", "c9x.2xlarge eu-central-1"],
    ]);
  });

  test("names each price that it is made of, with its day", () => {
    expect(
      on(ec2, { sizes: ["c5.large", "c5.xlarge"] }).prices.map(({ instanceType, usd, date }) => [
        instanceType,
        usd,
        date,
      ]),
    ).toEqual([
      ["c5.xlarge", 0.17, "2026-07-20"],
      ["c5.large", 0.085, "2026-07-20"],
      ["c5.2xlarge", 0.34, "2026-07-20"],
    ]);
  });
});

describe("time to live", () => {
  test("is twice the lane, and an hour at least", () => {
    expect(on(ec2).lanes[0]?.ttl).toBe("3600s");
    const { lanes } = on(ec2, { load: { model: "closed", connections: 1, duration: "15m" } });
    const twice = 2 * (lanes[0]?.time.totalS as number);
    expect(lanes[0]?.ttl).toBe(`${Math.ceil(twice / 60) * 60}s`);
    expect(twice).toBeGreaterThan(2 * 2 * 5 * 900);
  });

  test("is as long as machines may live at most, and as it was given", () => {
    const load = { model: "closed", connections: 1, duration: "24h" } as const;
    expect(on(ec2, { load }).lanes[0]?.ttl).toBe("604800s");
    expect(on({ ...ec2, ttl: "90m" }).lanes[0]?.ttl).toBe("90m");
  });

  test("that ends within the lane is a fault, where it stands in the file", () => {
    const sample = sampleMatrix({ ...ec2, ttl: "10m" }, { load: { model: "closed", connections: 1, duration: "2m" } });
    const faults = ttlFaults(of(sample), sample.matrix);
    const minutes = Math.ceil((of(sample).lanes[0]?.time.totalS as number) / 60);
    expect(faults.map(lineOf)).toEqual([
      `invalid-option: lane ec2-c5.large is estimated to take ${minutes} minutes, and its machines end themselves after 10m. Give a longer ttl (at most 168h), or measure less in one lane.`,
    ]);
    expect(faults[0]?.at).toEqual(["topologies", 0, "ttl"]);
    expect([ec2, ssh, local].flatMap((topology) => ttlFaults(on(topology), sampleMatrix(topology).matrix))).toEqual([]);
  });
});

describe("quota", () => {
  const quotas = (changes: Partial<typeof ec2>, more?: SampleChanges) =>
    on({ ...ec2, ...changes }, more).quotas.map(({ region, name, vcpus }) => [region, name, vcpus]);
  const standard = "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances";

  test("is the virtual CPUs of all machines at once, as EC2 counts them", () => {
    expect(quotas({})).toEqual([["us-east-1", standard, 14]]);
    expect(quotas({ threadsPerCore: 1 })).toEqual([["us-east-1", standard, 14]]);
    expect(quotas({ spot: true })).toEqual([
      ["us-east-1", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests", 14],
    ]);
  });

  test("is that of the largest lanes that may run at once", () => {
    const sizes = ["c5.large", "c5.9xlarge", "c5.xlarge"];
    expect(quotas({}, { sizes })).toEqual([["us-east-1", standard, 48]]);
    expect(quotas({}, { sizes, file: { parallel: 2 } })).toEqual([["us-east-1", standard, 64]]);
  });

  test("of other kinds stands apart, and is not known where a type does not tell its CPUs", () => {
    expect(quotas({ generator: "inf1.xlarge", upstream: "c5zz.metal" })).toEqual([
      ["us-east-1", standard, null],
      ["us-east-1", "Running On-Demand INF instances", 4],
    ]);
  });
});

describe("a budget", () => {
  const faults = (budgetUsd: number | undefined, changes: Partial<typeof ec2> = {}, prices?: PriceTable) =>
    budgetFaults(of(sampleMatrix({ ...ec2, ...changes }), prices), budgetUsd).map(lineOf);

  test("that is not reached says nothing, nor does none", () => {
    expect([...faults(1), ...faults(undefined), ...faults(undefined, { region: "eu-central-1" })]).toEqual([]);
  });

  test("that is exceeded is a fault with both numbers", () => {
    const load = { model: "closed", connections: 1, duration: "1h" } as const;
    const sample = sampleMatrix(ec2, { load, file: { budgetUsd: 5 } });
    expect(budgetFaults(of(sample), 5)).toEqual([
      {
        code: "over-budget",
        message:
          "the machines are estimated to cost $6.23, and the budget is $5.00. Raise budgetUsd, or measure less: fewer sizes, loads or repetitions, or shorter runs.",
        at: ["budgetUsd"],
      },
    ]);
  });

  test("cannot be kept where a type has no price", () => {
    expect(faults(100, { generator: "c9x.2xlarge" })).toEqual([
      'unknown-price: a budget of $100.00 cannot be kept: the table kept with gatebench (us-east-1, of 2026-07-20) has no price of c9x.2xlarge in us-east-1. Ask AWS for its own: "--prices aws".',
    ]);
    const asked: PriceTable = { about: "AWS's price list", pricePerHour: () => undefined };
    expect(faults(100, {}, asked)[0]).toBe(
      "unknown-price: a budget of $100.00 cannot be kept: AWS's price list has no price of c5.xlarge, c5.large, c5.2xlarge in us-east-1. Choose another type or region, or leave the budget out.",
    );
  });
});
