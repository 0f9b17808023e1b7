import { instanceTypeNamed } from "@gatebench/core/plan";
import { datedPrices, datedTypes } from "./dated-prices";
import { monthlyUsd } from "./price";

const usd = (type: string, region = "us-east-1") => datedPrices.pricePerHour(type, region)?.usd;

test.each([
  ["c5n.large", 0.108],
  ["c5n.9xlarge", 1.944],
  ["c5n.metal", 3.888],
  ["c5.metal", 4.08],
  ["c6i.32xlarge", 5.44],
  ["c7gn.medium", 0.0624],
  ["c7i.metal-48xl", 8.568],
  ["c8g.16xlarge", 2.55232],
  ["m5.2xlarge", 0.384],
  ["t3.nano", 0.0052],
  ["t3a.large", 0.0752],
])("%s costs $%d an hour, as AWS's list states", (type, price) => expect(usd(type)).toBe(price));

test("a price says where it is from, and of which day", () => {
  expect(datedPrices.pricePerHour("c5.large", "us-east-1")).toEqual({
    usd: 0.085,
    source: "AWS's on-demand prices as karpenter-provider-aws 6fc13b523 states them",
    date: "2026-07-20",
  });
});

test("what the table does not have has no price: another region, family or size, or no type at all", () => {
  const unknown = ["c9x.large", "c5.16xlarge", "c7i.metal-24xl", "c7g.medium", "c5", "c5.", "", "constructor.large"];
  expect(unknown.map((type) => usd(type))).toEqual(unknown.map(() => undefined));
  expect(usd("c5.large", "eu-central-1")).toBeUndefined();
});

test("every type in it is one, and has a price", () => {
  expect(datedTypes.filter((type) => !instanceTypeNamed(type) || !((usd(type) ?? 0) > 0))).toEqual([]);
  expect(new Set(datedTypes).size).toBe(datedTypes.length);
});

test("a month is 730 hours", () => expect(monthlyUsd({ usd: 0.216 })).toBeCloseTo(157.68, 6));

/**
 * NGINX's table states $100, 200, 400, 795 and 1790 a month for a large to a 9xlarge of c5n. That is 730 hours of $0.272 an
 * xlarge, rounded up to the next $5: the price in Tokyo and Osaka, and of no other region, whatever hours of a month and
 * whichever rounding one takes. us-east-1's $0.216 makes four fifths of it. The source states neither region nor formula.
 */
test("the monthly costs that NGINX published are 730 hours, rounded up to $5, of another region's price", () => {
  const roundedUp = (xlargeUsd: number) =>
    [0.5, 1, 2, 4, 9].map((times) => Math.ceil(monthlyUsd({ usd: xlargeUsd * times }) / 5) * 5);
  expect(roundedUp(0.272)).toEqual([100, 200, 400, 795, 1790]);
  expect(roundedUp(usd("c5n.xlarge") as number)).toEqual([80, 160, 320, 635, 1420]);
});
