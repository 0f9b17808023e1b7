import { readFileSync } from "node:fs";
import { join } from "node:path";
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

const packages = join(__dirname, "..", "..", "..");

/** As the adapter's own interface of options has them. */
function optionsOf(name: string): readonly string[] {
  const file = join(packages, name in gateways ? "gateways" : "generators", "src", name, `${name}.ts`);
  const [, members = ""] = /export interface \w+Options \{\n(.*?)\n\}/s.exec(readFileSync(file, "utf8")) ?? [];
  return [...members.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, option]) => option as string).sort();
}

test("the interfaces are found", () => {
  expect(optionsOf("tyk")).toEqual(expect.arrayContaining(["gogc", "version"]));
  expect(optionsOf("direct")).toEqual([]);
});

test.each([...Object.keys(gateways), ...Object.keys(generators)])(
  "%s reads all its options and no others",
  async (name) => {
    const watched = await readBy(name);
    expect([...watched.read].sort()).toEqual(optionsOf(name));
    expect(optionFaults(name, { nonsense: 1 }, watched)).toEqual([
      expect.objectContaining({ code: "unknown-key", option: "nonsense" }),
    ]);
  },
);
