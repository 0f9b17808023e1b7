import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { byHand, commandAndNote } from "./by-hand";

const results = mkdtempSync(join(tmpdir(), "gatebench-by-hand-"));
const kept = {
  benchmark: "wrk-plain",
  run: { target: "nginx", id: "abc", order: 7 },
  folder: "/state/gatebench/places/here/sessions/wrk-plain/jobs/1234",
};
const raw = "raw/wrk-plain/nginx/007-abc";
const vault = "/state/gatebench/places/here/sessions/wrk-plain/vaults/nginx.json";
beforeAll(() => {
  mkdirSync(join(results, raw), { recursive: true });
  writeFileSync(join(results, raw, "wrk.lua"), 'wrk.path = "/"\n');
  writeFileSync(join(results, raw, "many.lua"), "<gatebench:consumer-1.key> <gatebench:consumer-2.key>");
});
afterAll(() => rmSync(results, { recursive: true }));

test("files are the copies in the results folder", () => {
  const command = "wrk -t2 -s '<gatebench:file.wrk.lua>' http://127.0.0.1:8001/";
  expect(byHand({ byHand: command }, kept, results)).toBe(`wrk -t2 -s ${raw}/wrk.lua http://127.0.0.1:8001/`);
});

test("a secret stays a reference, with the place of its value beside it", () => {
  const command = "hey -H 'X-Key: <gatebench:consumer-1.key>' http://127.0.0.1:8001/";
  const text = byHand({ byHand: command }, kept, results);
  expect(text).toBe(`${command} # <gatebench:consumer-1.key> in ${vault}`);
  expect(commandAndNote(text)).toEqual({ command, note: `<gatebench:consumer-1.key> in ${vault}` });
});

test("secrets within a file the command reads are spoken of too", () => {
  expect(byHand({ byHand: "wrk -s '<gatebench:file.many.lua>'" }, kept, results)).toBe(
    `wrk -s ${raw}/many.lua # <gatebench:consumer-1.key> and 1 more in ${vault}`,
  );
});

test("a row without runs keeps its command as it was planned", () => {
  expect(byHand({ byHand: "wrk http://127.0.0.1:8001/" }, undefined, results)).toBe("wrk http://127.0.0.1:8001/");
  expect(commandAndNote("wrk # not ours")).toEqual({ command: "wrk # not ours", note: undefined });
});
