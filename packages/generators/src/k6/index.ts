export { k6, type K6Options } from "./k6";
export { testRun, type TestRunOptions } from "./test-run";
