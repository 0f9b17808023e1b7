import type { CounterPage } from "../contract";
import { addCounters, countersBetween } from ".";

/** nginx's status page: accepted, handled and served since the start; a reading counts as one of each. */
const statusPage: CounterPage = {
  port: 8001,
  path: "/status",
  values: { connections: "^ (\\d+) \\d+ \\d+ $", requests: "^ \\d+ \\d+ (\\d+) $" },
  adds: { requests: 1, connections: 1 },
};
const nginxStatus = (connections: number, requests: number): string =>
  `Active connections: 1 \nserver accepts handled requests\n ${connections} ${connections} ${requests} \nReading: 0\n`;
const failureLog: CounterPage = { port: 8001, path: "/failures", statusLines: "^(\\d{3})$" };
const prometheus: CounterPage = {
  port: 9901,
  path: "/metrics",
  values: { requests: "requests_total\\{.*\\} (\\S+)$" },
  statuses: { "2xx": 'class="2xx"\\} (\\S+)$', "5xx": 'class="5xx"\\} (\\S+)$' },
};

test("a status page's difference is what was served, its own readings taken off", () => {
  const before = [nginxStatus(5, 10)];
  expect(countersBetween([statusPage], before, [nginxStatus(56, 1011)])).toEqual({ connections: 50, requests: 1000 });
  expect(countersBetween([statusPage], before, [nginxStatus(58, 1013)], 3)).toEqual({
    connections: 50,
    requests: 1000,
  });
});

test("all matches of an expression are added up, and the pages of all servers", () => {
  const page = (good: number, bad: number) =>
    `requests_total{class="2xx"} ${good}\nrequests_total{class="5xx"} ${bad}\n`;
  expect(countersBetween([prometheus], [page(10, 1)], [page(110, 3)])).toEqual({
    requests: 102,
    statuses: { "2xx": 100, "5xx": 2 },
  });
  expect(countersBetween([prometheus, prometheus], [page(0, 0), page(5, 0)], [page(7, 0), page(6, 0)])?.requests).toBe(
    8,
  );
});

test("numbers may be written as Prometheus writes them", () => {
  const page = (count: string) => `requests_total{class="2xx"} ${count}\n`;
  expect(countersBetween([prometheus], [page("1e+06")], [page("1.25e+06")])?.requests).toBe(250_000);
});

test("a counter may appear with its first count; one nobody counted is missing, not zero", () => {
  const good = 'requests_total{class="2xx"} 5\n';
  const bad = 'requests_total{class="5xx"} 2\n';
  expect(countersBetween([prometheus], [good], [good + bad])?.statuses).toEqual({ "2xx": 0, "5xx": 2 });
  expect(countersBetween([prometheus], [good], [good])?.statuses).toEqual({ "2xx": 0 });
});

test("a reading is a good answer of the page that counts statuses", () => {
  const counting = { ...prometheus, adds: { requests: 1, connections: 0 } };
  const page = (good: number) => `requests_total{class="2xx"} ${good}\n`;
  expect(countersBetween([counting], [page(1)], [page(12)])).toEqual({ requests: 10, statuses: { "2xx": 10 } });
});

test("where only failures are logged, good answers are the other requests", () => {
  const pages = [statusPage, failureLog];
  const before = [nginxStatus(1, 1), "429\n"];
  expect(countersBetween(pages, before, [nginxStatus(12, 102), "429\n429\n502\n429\n"])).toEqual({
    connections: 10,
    requests: 100,
    statuses: { "2xx": 97, "429": 2, "502": 1 },
  });
  expect(countersBetween(pages, [nginxStatus(1, 1), ""], [nginxStatus(2, 12), ""])?.statuses).toEqual({ "2xx": 10 });
});

test("a log of all answers counts its good ones itself", () => {
  const log = countersBetween(
    [statusPage, failureLog],
    [nginxStatus(1, 1), ""],
    [nginxStatus(2, 5), "200\n200\n404\n"],
  );
  expect(log?.statuses).toEqual({ "200": 2, "404": 1 });
});

test.each([
  ["ran backwards", [nginxStatus(9, 99)], [nginxStatus(2, 3)]],
  ["grew by less than its readings", [nginxStatus(9, 99)], [nginxStatus(9, 99)]],
  ["vanished", [nginxStatus(9, 99)], [""]],
  ["could not be read before", [""], [nginxStatus(9, 99)]],
  ["was read once only", [], [nginxStatus(9, 99)]],
  ["is not a number", [nginxStatus(9, 99)], [nginxStatus(Number.NaN, 120)]],
])("nothing is known where a counter %s", (_, before, after) => {
  const loose = { ...statusPage, values: { requests: "^ \\S+ \\S+ (\\S+) $", connections: "^ (\\S+) \\S+ \\S+ $" } };
  expect(countersBetween([loose], before, after)).toBeUndefined();
});

test("nothing is known where a log became shorter, or holds more failures than there were requests", () => {
  const pages = [statusPage, failureLog];
  const status = [nginxStatus(1, 1), nginxStatus(2, 12)] as const;
  expect(countersBetween(pages, [status[0], "502\n502\n"], [status[1], "502\n"])).toBeUndefined();
  expect(countersBetween(pages, [status[0], ""], [status[1], "502\n".repeat(11)])).toBeUndefined();
});

test("a server that restarted is not hidden by the growth of another", () => {
  const status = (requests: number) => nginxStatus(requests, requests);
  expect(countersBetween([statusPage, statusPage], [status(90), status(90)], [status(3), status(900)])).toBeUndefined();
});

test("a log of failures alone does not tell how many answers were good", () => {
  expect(countersBetween([failureLog], [""], ["502\n"])).toEqual({ statuses: { "502": 1 } });
});

test("no pages count nothing", () => {
  expect(countersBetween([], [], [])).toBeUndefined();
});

test("counters of several hosts are added up, all or nothing", () => {
  const one = { requests: 5, statuses: { "200": 4, "429": 1 } };
  expect(addCounters([one, { requests: 2, connections: 1, statuses: { "200": 2 } }])).toEqual({
    requests: 7,
    connections: 1,
    statuses: { "200": 6, "429": 1 },
  });
  expect([addCounters([]), addCounters([one, undefined])]).toEqual([undefined, undefined]);
});
