export { bench, destroyBench } from "./bench";
export { benchOptionsSchema, readBenchOptions, type BenchOptions } from "./bench-options";
export { planBench, type BenchPlan, type PlannedBenchmark, type PlannedTarget, type Skipped } from "./bench-plan";
export { benchProgram } from "./bench-program";
export { markdownReport } from "./markdown-report";
export { terminalTables } from "./terminal-tables";
