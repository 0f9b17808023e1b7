import { repeat } from "@gatebench/core/measure";
import { PatientStop } from "./patient-stop";

const load = { model: "closed", connections: 1, duration: "1s" } as const;
const protocol = repeat({ runs: 3, warmUp: false });

test("left alone, it is the same protocol", () => {
  expect(new PatientStop().patient(protocol).next(load, [])).toEqual(protocol.next(load, []));
});

test("asked while nothing is measured, the engine is ended at once", () => {
  const stop = new PatientStop();
  stop.ask();
  expect(stop.signal.aborted).toBe(true);
  expect(stop.patient(protocol).next(load, [])).toBeUndefined();
});

test("asked during a run, the engine is ended after it", () => {
  const stop = new PatientStop();
  stop.patient(protocol).next(load, []);
  stop.ask();
  expect(stop.signal.aborted).toBe(false);
  stop.ran();
  expect(stop.signal.aborted).toBe(true);
});

test("between two runs nothing is measured", () => {
  const stop = new PatientStop();
  stop.patient(protocol).next(load, []);
  stop.ran();
  stop.ask();
  expect(stop.signal.aborted).toBe(true);
});

test("the next run may begin just before the one before it is known", () => {
  const stop = new PatientStop();
  const protocolOfAll = stop.patient(protocol);
  protocolOfAll.next(load, []);
  protocolOfAll.next(load, []);
  stop.ran();
  stop.ask();
  expect(stop.signal.aborted).toBe(false);
  stop.ran();
  expect(stop.signal.aborted).toBe(true);
});
