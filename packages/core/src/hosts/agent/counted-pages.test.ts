import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobOrder } from "../job-record";
import { countersOf } from "./counted-pages";

const page = { port: 1, path: "/", values: { requests: "requests (\\d+)" }, adds: { requests: 1, connections: 1 } };
const folder = mkdtempSync(join(tmpdir(), "gatebench-counted-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Of so many upstreams, from and to their counts; one that went away says nothing. */
function counted(...upstreams: readonly (readonly [from: number, to: number | undefined])[]) {
  const sources = upstreams.map((_, index) => ({ host: `10.0.0.${index}`, pages: [page] }));
  const order = { counted: { gateway: [], upstream: sources } } as unknown as JobOrder;
  const pages = (at: 0 | 1) => ({
    gateway: [],
    upstream: upstreams.map((counts) => [counts[at] === undefined ? "" : `requests ${counts[at]}`]),
  });
  const supervision = { place: "", folder, order, values: {}, mask: (text: string) => text };
  return countersOf(supervision, pages(0), { pages: pages(1), readings: 2 });
}

test("one upstream is counted as it ever was", () => {
  expect(counted([10, 112])).toEqual({ upstream: { requests: 100 } });
});

test("of several there is the sum, and each, less the readings", () => {
  expect(counted([10, 112], [0, 52])).toEqual({
    upstream: { requests: 150 },
    upstreams: [{ requests: 100 }, { requests: 50 }],
  });
});

test.each([
  ["went away", undefined],
  ["began anew", 3],
])("of one that %s nothing is known, nor of the sum; the others stand", (_, to) => {
  expect(counted([10, 112], [400, to])).toEqual({ upstreams: [{ requests: 100 }, null] });
  expect(readFileSync(join(folder, "counters.json"), "utf8")).toContain("requests 112");
});
