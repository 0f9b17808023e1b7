import { readableTime } from "./readable-time";

test.each([
  [0, "0 s"],
  [45.4, "45 s"],
  [89, "89 s"],
  [90, "2 min"],
  [3569, "59 min"],
  [3600, "1 h 00 min"],
  [11_100, "3 h 05 min"],
  [360_000, "100 h 00 min"],
])("%d seconds are %s", (seconds, text) => expect(readableTime(seconds)).toBe(text));
