import { instanceTypeNamed } from "@gatebench/core/plan";
import type { Price } from "@gatebench/core/measure";
import type { PriceTable } from "./price";

const region = "us-east-1";
/** Facts taken from there: pkg/providers/pricing/zz_generated.pricing_aws.go, which is generated from AWS's price list. */
const source = "AWS's on-demand prices as karpenter-provider-aws 6fc13b523 states them";
const date = "2026-07-20";

/**
 * US dollars an hour of an xlarge, and the sizes a family comes in. Within a family EC2 prices by size: a 9xlarge costs nine
 * times as much, a large half. Sizes that do not follow that rule are left out: most bare metal.
 */
const families: Readonly<Record<string, readonly [xlargeUsd: number, sizes: string]>> = {
  t3: [0.1664, "nano micro small medium large xlarge 2xlarge"],
  t3a: [0.1504, "nano micro small medium large xlarge 2xlarge"],
  c5: [0.17, "large xlarge 2xlarge 4xlarge 9xlarge 12xlarge 18xlarge 24xlarge metal"],
  c5a: [0.154, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge"],
  c5n: [0.216, "large xlarge 2xlarge 4xlarge 9xlarge 18xlarge metal"],
  c6g: [0.136, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  c6gn: [0.1728, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  c6i: [0.17, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge metal"],
  c6in: [0.2268, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge metal"],
  c7g: [0.145, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  c7gn: [0.2496, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  c7i: [0.1785, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge metal-48xl"],
  c8g: [0.15952, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge metal-48xl"],
  c8gn: [0.237, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge metal-48xl"],
  c8i: [0.18742, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge 48xlarge 96xlarge"],
  m5: [0.192, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge metal"],
  m5n: [0.238, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge metal"],
  m6g: [0.154, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  m6i: [0.192, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge metal"],
  m7g: [0.1632, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  m7i: [0.2016, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge metal-48xl"],
  m8g: [0.17952, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge metal-48xl"],
  r6g: [0.2016, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  r6i: [0.252, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge metal"],
  r7g: [0.2142, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
};

/** Sizes below an xlarge, as parts of it. */
const parts: Readonly<Record<string, number>> = { nano: 32, micro: 16, small: 8, medium: 4, large: 2 };

/** The families that benchmarks use, in one region, as they were on a day. What it does not have has no price. */
export const datedPrices: PriceTable = {
  about: `the table kept with gatebench (${region}, of ${date})`,
  instead: 'Ask AWS for its own: "--prices aws".',
  pricePerHour: (instanceType, of) => (of === region ? priceOf(instanceType) : undefined),
};

/** Every type it has, for who looks whether they are right. */
export const datedTypes: readonly string[] = Object.entries(families).flatMap(([family, [, sizes]]) =>
  sizes.split(" ").map((size) => `${family}.${size}`),
);

function priceOf(instanceType: string): Price | undefined {
  const [family = "", size = ""] = instanceType.split(".");
  const [xlargeUsd, sizes] = (Object.hasOwn(families, family) && families[family]) || [];
  if (xlargeUsd === undefined || !sizes?.split(" ").includes(size)) return undefined;
  // A rounding of binary fractions is no part of a price.
  return { usd: Number((xlargeUsd * timesXlarge(instanceType, size)).toFixed(6)), source, date };
}

/** An xlarge has four CPUs in every family. */
function timesXlarge(instanceType: string, size: string): number {
  const part = parts[size];
  return part === undefined ? (instanceTypeNamed(instanceType)?.cpus ?? NaN) / 4 : 1 / part;
}
