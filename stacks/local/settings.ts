import { durationSchema, writtenCount } from "@gatebench/core";
import { readSettings, stackSettings, writtenFlag } from "@gatebench/matrix/stack";
import { z } from "zod";

/** Every key a stack file may set: those of all stacks (stack-settings.ts), and this one's. */
const schema = z.strictObject({
  ...stackSettings,
  /** The first of 400 ports. Derived from project, stack and folder without. */
  portBase: writtenCount(32_000, 1024).optional(),
  /** Prometheus and a node exporter beside the runs, and figures by PromQL in results; Grafana where its program is on PATH. */
  observe: writtenFlag.default(false),
  /** From one scrape to the next. */
  scrapeInterval: durationSchema.default("1s"),
  /** Whether the generator sends Prometheus its own series too. */
  remoteWrite: writtenFlag.default(false),
});
export type Settings = z.infer<typeof schema>;

export const settings = (): Settings => readSettings(schema);
