import { lineOf } from "./fault";
import { figureFaults, unknownFigures, type DeclaredFigure } from "./figure-faults";
import type { QueriedFigure } from "./queried-figure";

const counter: QueriedFigure = {
  name: "requests",
  unit: "requests",
  kind: "counter",
  query: "requests_total{$gateway}",
};
const declared = (changes: object = {}, of: Partial<DeclaredFigure> = {}): DeclaredFigure => ({
  figure: { ...counter, ...changes } as QueriedFigure,
  whose: "user",
  by: "the user",
  ...of,
});
const lines = (...all: readonly DeclaredFigure[]) => figureFaults(all).map(lineOf);
const of = (what: string) => [`invalid-figure: the figure "requests" of the user ${what}`];

test.each([
  ["a selector", {}],
  ["a selector without braces", { query: "requests_total" }],
  ["a selector by labels alone", { query: '{__name__=~"requests_.+",$upstream}' }],
  ["a gauge of any expression", { kind: "gauge", query: "avg(a{$gatewayHost}) / sum(rate(b[5m]))" }],
  ["a gauge over the run", { kind: "gauge", query: "sum(increase(errors_total{$generator}[$window]))" }],
  [
    "a quantile of buckets",
    { kind: "histogram-quantile", quantile: 0.99, query: 'seconds_bucket{$gateway,code!="500"}' },
  ],
])("%s is a figure", (_, changes) => expect(lines(declared(changes))).toEqual([]));

test.each([
  [
    "a bracket that is never closed",
    { kind: "gauge", query: "sum(requests_total" },
    "has a query that is no PromQL: its end is missing: sum(requests_total",
  ],
  [
    "two selectors",
    { query: "requests_total errors_total" },
    'has a query that is no PromQL, from "errors_total" on: requests_total errors_total',
  ],
  ["no query", { query: "" }, "has a query that is no PromQL: its end is missing:"],
  [
    "a placeholder nobody fills",
    { query: "requests_total{$gatway}" },
    "has $gatway in its query, which stands for nothing. Known: $gateway, $upstream, $generator, $authorizer, $gatewayHost, $upstreamHost, $generatorHost, $window.",
  ],
  [
    "a rate where raw samples are asked for",
    { query: "rate(requests_total[$window])" },
    'is a counter of the query rate(requests_total[60000ms]); its raw samples are asked for, so give a selector alone, such as requests_total{code="200"}, without functions, ranges or offsets.',
  ],
  [
    "an offset",
    { query: "requests_total offset 5m" },
    'is a counter of the query requests_total offset 5m; its raw samples are asked for, so give a selector alone, such as requests_total{code="200"}, without functions, ranges or offsets.',
  ],
  [
    "a quantile in percent",
    { kind: "histogram-quantile", quantile: 99 },
    "asks for the quantile 99; give a number above 0 and below 1, such as 0.99.",
  ],
])("%s is refused in one line", (_, changes, what) => expect(lines(declared(changes))).toEqual(of(what)));

test("a name is in small letters", () =>
  expect(lines(declared({ name: "Requests/s" }))).toEqual([
    'invalid-figure: the figure "Requests/s" of the user needs another name: small letters, digits and hyphens.',
  ]));

test("gateways may share a name, a user may not take one", () => {
  const envoy = declared({}, { whose: "adapter", by: "gateway envoy" });
  const kong = declared({}, { whose: "adapter", by: "gateway kong" });
  expect(lines(envoy, kong)).toEqual([]);
  expect(lines(envoy, declared())).toEqual([
    'invalid-figure: two figures are named "requests", of gateway envoy and of the user. Give one another name.',
  ]);
});

test("a figure nobody declares is refused with those that are", () =>
  expect(unknownFigures(["requests", "reqests"], [declared()]).map(lineOf)).toEqual([
    'unknown-figure: the figure "reqests" is declared by nothing that is watched. Known: requests. Choose one of them, or give a query of your own.',
  ]));
