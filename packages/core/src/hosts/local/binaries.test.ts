import { lineOf } from "../../contract";
import { missingBinaries } from "./binaries";

test("a program that is not there is a line that says what to do, by name or by path", () => {
  expect(missingBinaries(["sh", "/bin/sh", "no-such-program", "/opt/nobody/program"]).map(lineOf)).toEqual([
    'missing-binary: no-such-program is not on PATH. Install it, or run "npm run bench", which installs what it uses.',
    "missing-binary: /opt/nobody/program is not on this machine. Install the package it belongs to, or use a host with containers.",
  ]);
});
