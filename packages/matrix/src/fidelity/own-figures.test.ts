import { misreadings, ownFigures } from "./own-figures";

const wrkText = `@gatebench figures follow
Running 1s test @ http://127.0.0.1:20001/
  Latency Distribution
     50%  433.00us
     99%    3.24ms
Requests/sec:  71234.56
Transfer/sec:     92.00MB
`;
const heyText =
  '{"tool":"hey","rps":4099.5,"totalS":1.0,\n"latency":[{"Percentage":95,"Latency":0.001},{"Percentage":99,"Latency":0.0021}],"statuses":{}}';

const result = (rps: number, p99: number | null) => ({ rps, latencyMs: { p99 } as never });

test("wrk's own lines are read as a person reads them, to within their rounding", () => {
  const own = ownFigures("wrk", wrkText);
  expect(own?.rps.value).toBe(71234.56);
  expect(own?.p99Ms.value).toBe(3.24);
  expect(own && misreadings(own, result(71234.5601, 3.238))).toEqual([]);
});

test("hey's values are exact", () => {
  const own = ownFigures("hey", heyText);
  expect(own && misreadings(own, result(4099.5, 2.1))).toEqual([]);
  expect(own && misreadings(own, result(4099.6, 2.1))).toHaveLength(1);
});

test("what a result states otherwise, or not at all, is a line each", () => {
  const own = ownFigures("wrk", wrkText);
  expect(own && misreadings(own, result(71000, null))).toEqual([
    "requests per second: the tool printed 71234.56, the result states 71000",
    "P99 in ms: the tool printed 3.24, the result states nothing",
  ]);
});

test("output without the line is refused; a tool nobody knows is not compared", () => {
  expect(() => ownFigures("wrk", "unable to connect")).toThrow("no line of the form");
  expect(ownFigures("foreign", "")).toBeUndefined();
});
