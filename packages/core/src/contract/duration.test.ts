import { duration, secondsOf, type Duration } from "./duration";
import { durationSchema } from "./duration-schema";

test.each<[Duration, number]>([
  ["500ms", 0.5],
  ["30s", 30],
  ["1.5s", 1.5],
  ["5m", 300],
  ["1h", 3600],
  ["0s", 0],
])("%s is %d seconds", (text, seconds) => expect(secondsOf(text)).toBe(seconds));

test.each(["10", "", "s", "-1s", "1 s", "1S", "1d", "1e3s", "10s ", "s10", "0x1s"])(
  "%j is not a duration, whoever asks",
  (text) => {
    expect(() => secondsOf(text as Duration)).toThrow(`${JSON.stringify(text)} is not a duration`);
    expect(durationSchema.safeParse(text).error?.issues[0]?.message).toBe(
      `${JSON.stringify(text)} is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h"`,
    );
  },
);

test("a bare number is no duration: nobody knows its unit", () => {
  expect(durationSchema.safeParse(30).error?.issues[0]?.message).toMatch(/^30 is not a duration; /);
});

test.each<[number, Duration]>([
  [0.25, "250ms"],
  [1, "1s"],
  [90, "90s"],
  [1.2345, "1.234s"],
])("%d seconds are written %s", (seconds, text) => expect(duration(seconds)).toBe(text));
