export { exampleResult, manyCells } from "./example-result";
/**
 * Fakes for other people's tests: a gateway and a generator that satisfy every law without any program behind them, and
 * runs, cells and results in which nothing is remarkable, for tests to change.
 *
 *   fakeGateway({ name: "mine" })                        what a host, a stack or a generator is tried with
 *   fakeGenerator().parse(fakeOutput({ ok: 90, bad: 10 }))
 *   recordedResult([recordedCell({ rps: 1200 })])        what a report is made from
 */
export { fakeGateway } from "./fake-gateway";
export { fakeGenerator, fakeOutput, fakeRecordings, type FakeFigures } from "./fake-generator";
export { recordedCell, recordedResult } from "./recorded-cell";
export { recordedRun } from "./recorded-run";
