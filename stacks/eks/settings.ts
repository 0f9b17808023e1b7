import { writtenCount } from "@gatebench/core";
import { measuredSettings, presetSettings, writtenFlag } from "@gatebench/matrix/stack";
import { z } from "zod";
import { presets } from "./presets";

/** Every key a stack file may set: those of all stacks (stack-settings.ts, measured-settings.ts), and this one's. */
export const schema = z.strictObject({
  ...measuredSettings,
  /**
   * A cluster that is there: the path of its kubeconfig, from the stack's folder. Without, one is made on EKS. It must let
   * kubectl in without asking anybody.
   */
  kubeconfig: z.string().optional(),
  /** Of a cluster that is there: the label by which nodes of a role are told, with the role as its value, and their taint. */
  poolLabel: z.string().default("gatebench/pool"),
  /** Whether nodes of a cluster that is there have that label for a taint, too. */
  poolTaint: writtenFlag.default(true),
  /** CPUs of a node of each role, of a cluster that is there. */
  upstreamCpus: writtenCount(1024).optional(),
  gatewayCpus: writtenCount(1024).optional(),
  generatorCpus: writtenCount(1024).optional(),
  workerCpus: writtenCount(1024).optional(),
  observerCpus: writtenCount(1024).optional(),
  serviceCpus: writtenCount(1024).optional(),
  /** Of everything that is made in a cluster that is there. By project and stack without. */
  namespace: z.string().optional(),
  upstreamType: z.string().default("c5.xlarge"),
  gatewayType: z.string().default("c5.xlarge"),
  generatorType: z.string().default("c5.2xlarge"),
  /** Of each of the generator's workers. */
  workerType: z.string().default("c5.xlarge"),
  /** Of the node for Prometheus and Grafana. */
  observerType: z.string().default("c5.large"),
  /** Of each of the nodes for an authorizer and its Redis. */
  serviceType: z.string().default("c5.large"),
  /** Of Kubernetes, such as 1.34. What EKS gives a new cluster without. */
  version: z.string().optional(),
  spot: writtenFlag.default(false),
  allowBurstable: writtenFlag.default(false),
  allowSmallGenerator: writtenFlag.default(false),
  /** Of the new cluster's network. */
  cidr: z.string().optional(),
});
export type Settings = z.infer<typeof schema>;

/** The stack's settings, over those of its preset. */
export const settings = () => presetSettings(schema, presets);
