import type { Warning } from "../contract";
import { connectionWarnings } from "./connection-warnings";
import { countWarnings } from "./count-warnings";
import { loadWarnings } from "./load-warnings";
import { machineWarnings } from "./machine-warnings";
import type { RunFacts } from "./run-facts";
import { tlsWarnings } from "./tls-tps";

/**
 * What one run's reader has to be told, and what it does to the figures.
 *
 * *Invalid* is for wrong numbers: counts disagree, or the load was not as asked through the generator's fault. What only
 * makes a number less sure – a busy machine, a steal – caps at *indicative*.
 */
export function runWarnings(facts: RunFacts): readonly Warning[] {
  return [
    ...countWarnings(facts),
    ...loadWarnings(facts),
    ...connectionWarnings(facts),
    ...tlsWarnings(facts),
    ...machineWarnings(facts),
  ];
}
