import { writtenCount, writtenRate } from "./written-number";

const said = (parsed: { success: boolean; error?: { issues: readonly { message: string }[] } }) =>
  parsed.success ? "" : parsed.error?.issues.map(({ message }) => message).join();

test("a number may be written as a text", () => {
  expect(writtenCount(100).parse("32")).toBe(32);
  expect(writtenCount(100).parse(32)).toBe(32);
  expect(writtenCount(10, 0).parse("0")).toBe(0);
  expect(writtenRate(1000).parse("1.5")).toBe(1.5);
});

test.each(["", " ", "0", "101", "1.5", "-1", "many", "1e9", "NaN", "Infinity", "3s"])("%j is not a count", (text) =>
  expect(said(writtenCount(100).safeParse(text))).toBe(`${JSON.stringify(text)} is not a whole number from 1 to 100`),
);

test.each(["0", "-1", "", "fast", "Infinity", "1001"])("%j is not a rate", (text) =>
  expect(said(writtenRate(1000).safeParse(text))).toBe(
    `${JSON.stringify(text)} is not a number above 0 and up to 1000`,
  ),
);

test("what is no text and no number is not one either", () => {
  for (const given of [null, true, [], {}]) expect(writtenCount(100).safeParse(given).success).toBe(false);
});
