import * as pulumi from "@pulumi/pulumi";
import { fault } from "../contract";
import { refusalOf, refuseFaults } from "./refuse-faults";

const faults = [fault("invalid-option", "one."), fault("unknown-key", "another.")];

test("a program ends with a line for each fault, all at once", () => {
  expect(() => refuseFaults(faults)).toThrow("invalid-option: one.\nunknown-key: another.");
  expect(() => refuseFaults([])).not.toThrow();
});

test("Pulumi prints those lines alone, and has no stack to colour first", () => {
  const refusal = refusalOf(faults);
  expect(pulumi.RunError.isInstance(refusal)).toBe(true);
  expect(refusal.stack).toBeUndefined();
});
