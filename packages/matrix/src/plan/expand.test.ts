import { direct, envoy, istio, nginx, nginxIngressController, tyk } from "@gatebench/gateways";
import { hey, locust, wrk } from "@gatebench/generators";
import { expand } from "./expand";
import type { Place } from "../matrix-file/matrix";
import { eks } from "./sample-matrix";
import { closedLoad, testedMatrix, type TestedMatrix } from "./tested-matrix";

const idsOf = (asked: TestedMatrix) => expand(testedMatrix(asked)).cells.map(({ id }) => id);

test("every combination is a cell, beside the path without a gateway", () => {
  const { cells, lanes } = expand(testedMatrix({ scenarios: ["plain", "key-auth"], sizes: [1, 2] }));
  expect(lanes.map(({ name }) => name)).toEqual(["local-1", "local-2"]);
  expect(cells.filter(({ lane }) => lane === "local-2").map(({ target }) => target)).toEqual([
    ...["direct", "nginx", "envoy", "nginx-key-auth", "envoy-key-auth"],
  ]);
});

test("cells that are compared share a lane and its rounds: only size and topology part them", () => {
  const { lanes } = expand(testedMatrix({ generators: [wrk(), hey()], scenarios: ["plain", "key-auth", "https"] }));
  expect(lanes).toHaveLength(1);
  expect(lanes[0]?.benchmarks.map(({ name, targets }) => [name, targets.length])).toEqual([
    ["wrk-plain", 5],
    ["wrk-https", 3],
    ["hey-plain", 5],
    ["hey-https", 3],
  ]);
});

test("an id tells its cell, and is the same each time", () => {
  expect(idsOf({})).toEqual(idsOf({}));
  expect(idsOf({})[1]).toMatch(/^nginx_plain_wrk_c32_local-1_[0-9a-f]{8}$/);
});

test("an id is the same in another matrix that asks the same", () => {
  const alone = idsOf({ gateways: [nginx()] });
  expect(idsOf({ gateways: [envoy(), nginx()], scenarios: ["key-auth", "plain"], sizes: [2, 1] })).toEqual(
    expect.arrayContaining(alone),
  );
});

test.each<[string, TestedMatrix]>([
  ["its load", { loads: [closedLoad(33)] }],
  ["its size", { sizes: [2] }],
  ["its warm-up", { file: { warmUp: "6s" } }],
  ["its upstream", { file: { upstream: "go-bench-suite" } }],
  ["how it is deployed", { file: { rounds: "redeployed" } }],
])("a cell is another one with another of %s", (_, change) => {
  const before = new Set(idsOf({}));
  expect(idsOf(change).filter((id) => before.has(id))).toEqual([]);
});

test("a cell is another one once its script has changed", () => {
  const withScript = (script: string) => {
    const matrix = testedMatrix();
    return expand({ ...matrix, generators: matrix.generators.map((one) => ({ ...one, script })) }).cells;
  };
  const [before, after] = [withScript("done = 1"), withScript("done = 2")];
  expect(before.map(({ target }) => target)).toEqual(after.map(({ target }) => target));
  expect(before.filter(({ id }) => after.some((other) => other.id === id))).toEqual([]);
});

test("what moves no figure makes no other cell", () => {
  const moved = testedMatrix({ file: { seed: 7, parallel: 1 } });
  expect(expand(moved).cells).toEqual(expand(testedMatrix()).cells);
});

test("what cannot be done is listed with its reason, and the rest is measured", () => {
  const { cells, skipped } = expand(testedMatrix({ gateways: [nginx(), tyk()], scenarios: ["tls-transactions"] }));
  expect(cells.map(({ gateway }) => gateway)).toEqual(["direct", "nginx"]);
  expect(skipped).toEqual([
    {
      ...{ gateway: "tyk", scenario: "tls-transactions", generator: "wrk", load: "c32", size: "1", topology: "local" },
      reason: expect.stringMatching(/^unsupported-policy: tyk /),
    },
  ]);
});

const onEks: Place = {
  name: "eks-c5.large",
  topology: eks,
  size: { name: "c5.large", workers: undefined, instanceType: "c5.large" },
};

test("what only a cluster runs is left out of other topologies, with the reason, and measured in one", () => {
  const gateways = [nginx(), istio(), nginxIngressController()];
  const { cells, skipped } = expand(testedMatrix({ gateways }));
  expect(cells.map(({ target }) => target)).toEqual(["direct", "nginx"]);
  expect(skipped.map(({ reason }) => reason)).toEqual([
    "unsupported-host: istio is a cluster deployment, and this topology runs containers. Leave istio out, or measure it on eks.",
    "unsupported-host: nginx-ingress-controller is a cluster deployment, and this topology runs containers. Leave nginx-ingress-controller out, or measure it on eks.",
  ]);
  const matrix = testedMatrix({ gateways });
  const { cells: there } = expand({ ...matrix, places: [onEks] });
  expect(there.map(({ target }) => target)).toEqual(["direct", "nginx", "istio", "nginx-ingress-controller"]);
});

test("a generator that cannot send a load is skipped with it, and its baseline is not measured for nothing", () => {
  const paced = {
    name: "c10x5",
    load: { model: "closed", connections: 10, pacePerConnection: 5, duration: "1s" },
  } as const;
  const { cells, skipped } = expand(testedMatrix({ generators: [wrk(), hey()], loads: [paced] }));
  expect(new Set(cells.map(({ generator }) => generator))).toEqual(new Set(["hey"]));
  expect(skipped.map(({ gateway, generator }) => [gateway, generator])).toEqual([
    ["nginx", "wrk"],
    ["envoy", "wrk"],
  ]);
});

test("rules leave cells out, and say which one did", () => {
  const file = { include: [{ gateway: "nginx" }, { scenario: "plain" }], exclude: [{ gateway: "envoy", size: 2 }] };
  const { cells, skipped } = expand(testedMatrix({ file, scenarios: ["plain", "key-auth"], sizes: [1, 2] }));
  expect(cells.filter(({ gateway }) => gateway === "envoy").map(({ scenario, size }) => [scenario, size])).toEqual([
    ["plain", "1"],
  ]);
  expect(skipped.map(({ scenario, size, reason }) => [scenario, size, reason])).toEqual([
    ["key-auth", "1", "left out: fits no rule of include."],
    ["plain", "2", "left out: fits exclude[0]."],
    ["key-auth", "2", "left out: fits exclude[0]."],
  ]);
});

test("where no gateway is left, the path without one is not measured either", () => {
  expect(expand(testedMatrix({ file: { include: [{ gateway: "kong" }] } })).lanes).toEqual([]);
});

test("the path without a gateway alone is a matrix", () => {
  expect(expand(testedMatrix({ gateways: [direct()] })).cells.map(({ target }) => target)).toEqual(["direct"]);
});

test("the same said in another order is the same cell", () => {
  const asked = { routes: 2, upstream: { count: 2, responseBytes: 10 } };
  const other = { upstream: { responseBytes: 10, count: 2 }, routes: 2 };
  const [one, two] = [asked, other].map((words) => {
    const matrix = testedMatrix();
    return expand({ ...matrix, scenarios: [{ scenario: { name: "own", ...words }, connection: "keep-alive" }] });
  });
  expect(one?.cells.map(({ id }) => id)).toEqual(two?.cells.map(({ id }) => id));
});

test("what is wrong whoever does it is a fault of the file", () => {
  const endless = { name: "c0", load: { model: "closed", connections: 0, duration: "1s" } } as const;
  const { faults } = expand(testedMatrix({ loads: [endless] }));
  expect(faults.map(({ code }) => code)).toEqual(["invalid-load"]);
});

test("a thousand cells expand in under a second", () => {
  const loads = Array.from({ length: 20 }, (_, index) => closedLoad(index + 1));
  const scenarios = ["plain", "key-auth", "basic-auth", "rate-limit", "key-auth-rate-limit"];
  const asked = { loads, scenarios, sizes: [1, 2, 4], generators: [wrk(), locust()] };
  const matrix = testedMatrix(asked);
  const begun = process.cpuUsage();
  const { cells, skipped } = expand(matrix);
  const { user, system } = process.cpuUsage(begun);
  expect(cells.length + skipped.length).toBeGreaterThan(1000);
  expect((user + system) / 1000).toBeLessThan(1000);
});
