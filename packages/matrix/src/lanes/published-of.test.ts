import { expand } from "../plan/expand";
import { testedMatrix } from "../plan/tested-matrix";
import { publishedOf } from "./published-of";

const { cells } = expand(testedMatrix());
const idsOf = (gateway: string) => cells.filter((cell) => cell.gateway === gateway).map(({ id }) => id);
const published = {
  source: "somebody",
  figures: [
    { gateway: "direct", scenario: "plain", rps: 74_801, p99Ms: 0.5 },
    { gateway: "nginx", tlsTps: 6700, note: "on one CPU" },
    { scenario: "plain", meanMs: 1 },
    { scenario: "https", p95Ms: 3 },
  ],
};

test("each figure names the cells that its words fit, and its words", () => {
  const stated = publishedOf({ published, differsIn: ["the kernel"] }, cells).published;
  expect(stated?.figures.map(({ name, cells: ids }) => [name, ids])).toEqual([
    ["direct plain", idsOf("direct")],
    ["nginx", idsOf("nginx")],
    ["plain", cells.map(({ id }) => id)],
    ["https", []],
  ]);
  expect(stated).toMatchObject({ source: "somebody", differsIn: ["the kernel"] });
  expect(stated?.figures[1]).toMatchObject({ tlsTps: 6700, note: "on one CPU" });
});

test("where nothing was published nothing is said", () => {
  expect(publishedOf({}, cells)).toEqual({});
});
