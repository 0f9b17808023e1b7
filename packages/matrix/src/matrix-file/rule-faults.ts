import { listed } from "@gatebench/core";
import { invalid } from "./file-faults";
import type { FileFault, Matrix } from "./matrix";
import type { Rule } from "./rule";
import { didYouMean } from "./nearest";
import { topologyName } from "./resolve-places";

/** Names in rules that no cell has: such a rule would do nothing, or keep nothing. */
export function ruleFaults(matrix: Matrix): readonly FileFault[] {
  const known = namesIn(matrix);
  const { include = [], exclude = [] } = matrix.file;
  return [
    ...include.flatMap((rule, at) => strangersIn(rule, ["include", at], known)),
    ...exclude.flatMap((rule, at) => strangersIn(rule, ["exclude", at], known)),
  ];
}

type Names = Readonly<Record<keyof Rule, readonly string[]>>;

function namesIn({ gateways, scenarios, generators, loads, places }: Matrix): Names {
  return {
    gateway: gateways.map(({ adapter }) => adapter.name),
    scenario: scenarios.map(({ scenario }) => scenario.name),
    generator: generators.map(({ adapter }) => adapter.name),
    load: loads.map(({ name }) => name),
    size: [...new Set(places.map(({ size }) => size.name))],
    topology: [...new Set(places.map(({ topology }) => topologyName(topology)))],
  };
}

function strangersIn(rule: Rule, at: readonly (string | number)[], known: Names): readonly FileFault[] {
  return (Object.keys(known) as (keyof Rule)[]).flatMap((word) =>
    (rule[word] ?? [])
      .filter((name) => !known[word].includes(name))
      .map((name) =>
        invalid(
          [...at, word],
          `no ${word} of this matrix is named "${name}"${didYouMean(name, known[word]) || "."} It has: ${listed(known[word])}.`,
        ),
      ),
  );
}
