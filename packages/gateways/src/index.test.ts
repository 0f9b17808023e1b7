import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { consumers, drawingSite, resolveScenario } from "@gatebench/core/contract";
import { gateways } from ".";
import { requestsOf } from "./requests";

test("every gateway is found by its own name", () => {
  expect(Object.keys(gateways)).toContain("direct");
  for (const [name, make] of Object.entries(gateways)) expect(make().name).toBe(name);
});

const requestsFor = (routes: number, count: number) => {
  const scenario = resolveScenario({
    name: "x",
    routes,
    consumers: count,
    ...(count > 0 ? { auth: "key" as const } : {}),
  });
  const site = { ...drawingSite({ ports: [] }, scenario), consumers: consumers(count) };
  return requestsOf(scenario, site).map(({ path, headers }) => [path, headers.apikey]);
};

test("routes and consumers are paired in order, and the shorter list begins again", () => {
  expect(requestsFor(3, 2)).toEqual([
    ["/route-1/", "<gatebench:consumer-1.key>"],
    ["/route-2/", "<gatebench:consumer-2.key>"],
    ["/route-3/", "<gatebench:consumer-1.key>"],
  ]);
  expect(requestsFor(1, 2).map(([path]) => path)).toEqual(["/route-1/", "/route-1/"]);
  expect(requestsFor(100, 100)).toHaveLength(100);
  expect(requestsFor(2, 0)).toEqual([
    ["/route-1/", undefined],
    ["/route-2/", undefined],
  ]);
});

test("a gateway is a folder of its own and one line in all.ts; container() is one only once it has its options", () => {
  const folders = readdirSync(__dirname, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "container",
  );
  const lines = readFileSync(join(__dirname, "all.ts"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("export"));
  const named = lines.map((line) => /from "\.\/([a-z0-9-]+)";$/.exec(line)?.[1]);
  expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
  expect(Object.keys(gateways).sort()).toEqual(named);
});
