import { writtenCount } from "@gatebench/core";
import { readSettings, stackSettings } from "@gatebench/matrix/stack";
import { z } from "zod";

/** Every key a stack file may set: those of all stacks (stack-settings.ts), and this one's. */
const schema = z.strictObject({
  ...stackSettings,
  /** The first of 400 ports. Derived from project, stack and folder without. */
  portBase: writtenCount(32_000, 1024).optional(),
});
export type Settings = z.infer<typeof schema>;

export const settings = (): Settings => readSettings(schema);
