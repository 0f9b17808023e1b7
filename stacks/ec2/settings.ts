import { durationSchema, fault, refuseFaults, writtenCount } from "@gatebench/core";
import { ownConfig, readSettings, stackSettings, writtenFlag } from "@gatebench/matrix/stack";
import { z } from "zod";
import { presets, type Preset } from "./presets";

/** Every key a stack file may set: those of all stacks (stack-settings.ts), and this one's. */
const schema = z.strictObject({
  ...stackSettings,
  /** A published test: tyk-baseline, tyk-proxy, tyk-full, tyk-full-post. Every other key changes it. */
  preset: z.string().optional(),
  /** What answers behind the gateway. */
  upstream: z.enum(["static-payload", "go-bench-suite"]).default("static-payload"),
  /** The same load for this long too; the P99 is then that of these runs. For generators that keep their first latencies only. */
  alsoFor: durationSchema.optional(),
  /** The same rate sent by this generator too; its figures stand beside the others. */
  alsoBy: z.string().optional(),
  /** Who may log in: your own address, such as 203.0.113.7/32. */
  sshFrom: z.string().default(""),
  sshFromAnywhere: writtenFlag.default(false),
  upstreamType: z.string().default("c5.xlarge"),
  gatewayType: z.string().default("c5.xlarge"),
  generatorType: z.string().default("c5.2xlarge"),
  /** Of each of the generator's workers. */
  workerType: z.string().default("c5.xlarge"),
  /** 1 switches hyper-threading off on all machines. */
  threadsPerCore: writtenCount(2).optional(),
  /** After it machines end themselves, even if nobody comes back. */
  ttl: durationSchema.default("4h"),
  placementGroup: writtenFlag.optional(),
  spot: writtenFlag.default(false),
  allowBurstable: writtenFlag.default(false),
  allowSmallGenerator: writtenFlag.default(false),
  /** Of a new network; or vpcId, subnetId and firstAddress of one that is there. */
  cidr: z.string().optional(),
  zone: z.string().optional(),
  vpcId: z.string().optional(),
  subnetId: z.string().optional(),
  /** The first of as many free addresses in the subnet as there are machines. */
  firstAddress: z.string().optional(),
  /** Id of a machine image. Amazon Linux 2023 as it is today without. */
  machineImage: z.string().optional(),
});
export type Settings = z.infer<typeof schema>;

/** The stack's settings, over those of its preset. */
export function settings(): { readonly asked: Settings; readonly preset: Preset | undefined } {
  const name = ownConfig().preset;
  const preset = name !== undefined && Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (name !== undefined && !preset) {
    const known = Object.keys(presets).join(", ");
    refuseFaults([
      fault("unknown-preset", `config.preset "${name}" is not one. Known: ${known}. Choose one, or leave it out.`),
    ]);
  }
  return { asked: readSettings(schema, preset?.settings), preset };
}
