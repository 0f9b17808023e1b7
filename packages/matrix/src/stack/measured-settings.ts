import { durationSchema, loadWords, purposes, writtenCount } from "@gatebench/core";
import { z } from "zod";
import { stackSettings, writtenFlag } from "./stack-settings";

const userCounts = z
  .string()
  .transform((text): unknown[] => text.split(","))
  .pipe(z.array(loadWords.users.unwrap()));

/** Keys of the stacks that measure on hosts of their own, with their defaults. */
export const measuredSettings = {
  ...stackSettings,
  /** A published test, by its name in presets.ts. Every other key changes it. */
  preset: z.string().optional(),
  /**
   * What answers behind the gateway: static-payload, go-bench-suite, or a container in full, such as
   * {"name":"app","image":"registry.example/app:1.2.3","command":["app"],"port":8080}.
   */
  upstream: z.string().default("static-payload"),
  /** Hosts for the scenario's upstreams, which stand on them in turn. */
  upstreamMachines: writtenCount(16).default(1),
  /** Of an answer's body, where the upstream can be told; a scenario's own come before it. */
  responseBytes: writtenCount(10_000_000, 0).optional(),
  /** Measures the gateway in front of one upstream too, in turn with the others. */
  againstSingle: writtenFlag.default(false),
  /** The same by so many users too, such as "1000,2000", each for the duration. */
  alsoUsers: userCounts.optional(),
  /** What counts against a figure: with breaking-point, errors are findings. Without: capacity, and ceiling without a gateway. */
  purpose: z.enum(purposes).optional(),
  /** The same load for this long too; the P99 is then that of these runs. For generators that keep their first latencies only. */
  alsoFor: durationSchema.optional(),
  /** The same rate sent by this generator too; its figures stand beside the others. */
  alsoBy: z.string().optional(),
};

export type MeasuredSettings = z.infer<z.ZodObject<typeof measuredSettings>>;
