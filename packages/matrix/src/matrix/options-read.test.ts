import { isFault, loadGateway, loadGenerator, type Fault } from "@gatebench/core";
import { gateways } from "@gatebench/gateways";
import { generators } from "@gatebench/generators";
import { drawGateway, drawGenerator } from "./draws";
import { optionFaults, WatchedOptions } from "./options-read";

/** What an adapter of ours reads while it is made and drawn. */
async function readBy(name: string): Promise<WatchedOptions> {
  const watched = new WatchedOptions({ nonsense: 1 });
  const how = { options: watched.options };
  if (name in gateways) drawGateway(found(await loadGateway(name, gateways, how)));
  else drawGenerator(found(await loadGenerator(name, generators, how)));
  return watched;
}

function found<A extends object>(adapter: A | Fault): A {
  if (isFault(adapter)) throw new Error(adapter.message);
  return adapter;
}

/** As their interfaces have them. */
const options: Readonly<Record<string, readonly string[]>> = {
  direct: [],
  envoy: ["version"],
  kong: ["configuration", "redisVersion", "version"],
  nginx: ["version"],
  tyk: ["configuration", "gogc", "redisVersion", "version"],
  hey: ["timeout", "version"],
  k6: ["script", "statuses", "timeout", "version"],
  locust: ["client", "processes", "script", "timeout", "version"],
  ngrinder: ["agents", "password", "processes", "recorder", "script", "threads", "timeout", "user", "version"],
  oha: ["timeout", "version"],
  wrk: ["countStatuses", "script", "timeout", "version"],
};

test("every adapter of ours is looked at", () =>
  expect(Object.keys(options).sort()).toEqual([...Object.keys(gateways), ...Object.keys(generators)].sort()));

test.each(Object.entries(options))("%s reads all its options, so that no others go unnoticed", async (name, known) => {
  const watched = await readBy(name);
  expect([...watched.read].sort()).toEqual(known);
  expect(optionFaults(name, { nonsense: 1 }, watched)).toEqual([
    expect.objectContaining({ code: "unknown-key", option: "nonsense" }),
  ]);
});
