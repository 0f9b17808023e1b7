import { createColors } from "picocolors";
import type { LeftGroup } from "./leftover";
import { removalText, sweepText } from "./sweep-text";

const now = Date.parse("2026-11-21T20:00:00Z");
const look = { columns: 100, colours: createColors(false) };
const vpc = { kind: "VPC", id: "vpc-1", about: "site-vpc, 10.77.0.0/24", since: undefined };
const place = { kind: "place", id: "bench-1", about: "", since: new Date(now - 3 * 3_600_000) };

test("what was left behind comes first; each thing is a line, with how old it is", () => {
  const groups: readonly LeftGroup[] = [
    { name: "bench-1", where: "this machine", inUse: "2 processes run", items: [place] },
    { name: "p/s", where: "eu-central-1", inUse: undefined, items: [{ ...place, kind: "instance", id: "i-1" }, vpc] },
  ];
  expect(sweepText(groups, look, now)).toBe(`\
p/s on eu-central-1 – left behind
  instance i-1, 3 h 00 min old
  VPC vpc-1 (site-vpc, 10.77.0.0/24), of unknown age
bench-1 on this machine – left alone: 2 processes run
  place bench-1, 3 h 00 min old`);
});

test("what became of a thing", () => {
  expect(removalText({ item: vpc, failure: undefined })).toBe("removed VPC vpc-1 (site-vpc, 10.77.0.0/24)");
  expect(removalText({ item: place, failure: "it runs" })).toBe("still there: place bench-1: it runs");
});
