import { durationSchema, loadWords, purposes, writtenCount } from "@gatebench/core";
import { z } from "zod";
import { authorizerSettings } from "./authorizer";
import { observatorySettings } from "./observatory";
import { stackSettings, writtenCredentials, writtenFlag, writtenLimits } from "./stack-settings";

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
   * What answers behind the gateway: static-payload, go-bench-suite, ping, or a container in full, such as
   * {"name":"app","image":"registry.example/app:1.2.3","command":["app"],"port":8080}.
   */
  upstream: z.string().default("static-payload"),
  /** Where the upstream is ping: its image, in a registry that the hosts reach (services/README.md). */
  upstreamImage: z.string().optional(),
  /** Where the upstream is ping: CPU and memory it may have, such as {"cpu":0.3,"memory":"1Gi"}. */
  upstreamLimits: writtenLimits.optional(),
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
  /**
   * Credentials of your own by reference name, as JSON, such as {"gateway.licence":"…","gateway.registry":"…"}. Set it with
   * --secret.
   */
  credentials: writtenCredentials.optional(),
  ...authorizerSettings,
  ...observatorySettings,
};

export type MeasuredSettings = z.infer<z.ZodObject<typeof measuredSettings>>;
