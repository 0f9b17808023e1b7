import { costOf } from "./cost";

const price = { usd: 0.36, source: "a price list", date: "2026-01-01" };

test("a rate costs what its machine does while it carries a million", () => {
  expect(costOf(1000, price)).toEqual({
    usdPerMillion: expect.closeTo(0.1, 9) as number,
    perSForDollarHour: expect.closeTo(2777.78, 2) as number,
    usdPerMonth: expect.closeTo(262.8, 9) as number,
  });
});

test("no rate has no cost", () => {
  expect(costOf(null, price)).toBeNull();
  expect(costOf(0, price)).toBeNull();
});
