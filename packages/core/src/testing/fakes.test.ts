import { gatewayAdapterFaults, generatorAdapterFaults, resultSchema, runSchema } from "../contract";
import { gatewayLaws, generatorLaws } from "../laws";
import { fakeGateway, fakeGenerator, fakeOutput, fakeRecordings, recordedResult, recordedRun } from "./index";

test.each(gatewayLaws)("the fake gateway $name", (law) => law.check(fakeGateway()));

test.each(generatorLaws)("the fake generator $name", (law) => law.check(fakeGenerator(), fakeRecordings));

test("the fakes have the members of adapters", () => {
  expect(gatewayAdapterFaults(fakeGateway(), "fake")).toEqual([]);
  expect(generatorAdapterFaults(fakeGenerator(), "fake")).toEqual([]);
});

test("the fake generator reads what it prints", () => {
  const result = fakeGenerator().parse(fakeOutput({ ok: 90, bad: 10, seconds: 2, p99Ms: 7.5 }));
  expect(result).toMatchObject({ rps: 45, responses: 100, latencyMs: { p99: 7.5 } });
});

test("recorded runs and results have the form of real ones", () => {
  expect(runSchema.parse(recordedRun())).toEqual(recordedRun());
  expect(resultSchema.parse(recordedResult())).toEqual(recordedResult());
});
