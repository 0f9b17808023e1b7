import { growth, readCounters } from "./counter-page";

const page = (port: number, values: Record<string, string>) => ({
  port,
  path: "/",
  values,
  adds: { requests: 1, connections: 1 },
});
const requests = { requests: "^requests_total\\S* (\\d+)$" };

test("all matches on all pages are added up", () => {
  const sources = [
    { host: "a", pages: [page(1, requests)] },
    { host: "b", pages: [page(2, requests), page(3, { connections: "accepted (\\d+)" })] },
  ];
  const texts = ['requests_total{c="2"} 3\nrequests_total{c="5"} 4', "requests_total 10", "accepted 6"];
  expect(readCounters(sources, texts)).toEqual({ requests: 17, connections: 6 });
});

test("what is not on a page was not counted, which is not zero", () => {
  expect(readCounters([{ host: "a", pages: [page(1, requests)] }], ["404 not found"])).toEqual({});
});

test("a reading's own requests are taken off, on each page", () => {
  const sources = [{ host: "a", pages: [page(1, requests), page(2, requests)] }];
  const reading = (counted: number) => ({ kind: "counters" as const, counted: { requests: counted } });
  expect(growth("requests", reading(10), reading(28), sources)).toBe(16);
  expect(growth("requests", { kind: "counters", counted: {} }, reading(18), sources)).toBe(16);
  expect(growth("connections", reading(10), reading(28), sources)).toBeUndefined();
});
