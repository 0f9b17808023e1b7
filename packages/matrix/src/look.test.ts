import { execFileSync } from "node:child_process";
import { lookOf, wrapped, wrappedCommand } from "./look";

const stream = (isTTY: boolean, columns?: number) => ({ isTTY, columns }) as NodeJS.WriteStream;
const colour = (isTTY: boolean, env: NodeJS.ProcessEnv = {}) => lookOf(stream(isTTY), env).colours.isColorSupported;

test("colours are for people who look, and want them", () => {
  expect(colour(true)).toBe(true);
  expect(colour(false)).toBe(false);
  expect(colour(true, { NO_COLOR: "1" })).toBe(false);
  expect(colour(false, { FORCE_COLOR: "1" })).toBe(true);
  expect(colour(false, { FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
});

test("what does not say how wide it is, is 100 columns wide", () => {
  expect(lookOf(stream(false), {}).columns).toBe(100);
  expect(lookOf(stream(true, 132), {}).columns).toBe(132);
  expect(lookOf(stream(true, 20), {}).columns).toBe(60);
});

test("words are wrapped, and hang under the first", () => {
  expect(wrapped("one two three four", 12, "code: ")).toEqual(["code: one", "      two", "      three", "      four"]);
  expect(wrapped("short", 100)).toEqual(["short"]);
});

test("a wrapped command is the same to a shell, and an option keeps its value beside it", () => {
  const words = ["-H", 'X-Key: it\'s <a> "b"', "-c32", "-s", "raw/a b/wrk.lua", "http://127.0.0.1:8001/?a=1&b=2"];
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const lines = wrappedCommand(`printf '%s\\n' ${quoted}`, 40, "  ");
  expect(lines.length).toBeGreaterThan(3);
  expect(execFileSync("sh", ["-c", lines.join("\n")], { encoding: "utf8" })).toBe(`${words.join("\n")}\n`);
  expect(wrappedCommand("wrk -t2 -H 'Host: a' -s raw/wrk.lua http://a/", 24, "")).toEqual([
    "wrk -t2 -H 'Host: a' \\",
    "  -s raw/wrk.lua \\",
    "  http://a/",
  ]);
});
