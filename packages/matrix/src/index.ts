export { bench, destroyBench } from "./bench";
export { benchOptionsSchema, readBenchOptions, type BenchOptions } from "./bench-options";
export { planBench, type BenchPlan, type Skipped } from "./bench-plan";
export type * from "./matrix/expansion";
export { benchProgram } from "./bench-program";
export { fidelity, type Fidelity } from "./fidelity/fidelity";
export { readFidelityOptions, type FidelityOptions } from "./fidelity/fidelity-options";
export { markdownReport } from "./markdown-report";
export { terminalTables } from "./terminal-tables";
