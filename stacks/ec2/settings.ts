import { durationSchema, writtenCount } from "@gatebench/core";
import { measuredSettings, presetSettings, writtenFlag } from "@gatebench/matrix/stack";
import { z } from "zod";
import { presets } from "./presets";

/** Every key a stack file may set: those of all stacks (stack-settings.ts, measured-settings.ts), and this one's. */
const schema = z.strictObject({
  ...measuredSettings,
  /** Who may log in: your own address, such as 203.0.113.7/32. */
  sshFrom: z.string().default(""),
  sshFromAnywhere: writtenFlag.default(false),
  upstreamType: z.string().default("c5.xlarge"),
  gatewayType: z.string().default("c5.xlarge"),
  generatorType: z.string().default("c5.2xlarge"),
  /** Of each of the generator's workers. */
  workerType: z.string().default("c5.xlarge"),
  /** Of the machine for Prometheus and Grafana. */
  observerType: z.string().default("c5.large"),
  /** Of each of the machines for an authorizer and its Redis. */
  serviceType: z.string().default("c5.large"),
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

/** Of this stack alone. */
export const ownKeys = Object.keys(schema.shape).filter((key) => !(key in measuredSettings));

/** The stack's settings, over those of its preset. */
export const settings = () => presetSettings(schema, presets);
