import { durationSchema, writtenCount } from "@gatebench/core";
import { z } from "zod";
import { shown } from "./shown";
import { flag, kebab, matching, named, not, several } from "./words";

const workers = writtenCount(1024);
const instanceType = matching(/^[a-z0-9-]+\.[a-z0-9-]+$/, 'an instance type, written like "c5.large"');
const topologyLabel = { as: kebab.describe("What places on it are called. Default: its kind.").optional() };

const localSchema = z
  .strictObject({
    kind: z.literal("local"),
    ...topologyLabel,
    sizes: several(workers).describe("Workers of the gateway. Default: half of this machine's CPUs.").optional(),
    portBase: writtenCount(32_000, 1024)
      .describe("First of 400 ports to listen on. Default: derived from the folder.")
      .optional(),
  })
  .describe("This machine.");

const cpus = writtenCount(1024).describe("As nproc says on it.");
const sshMachine = z.strictObject(
  {
    host: named.describe("Where it is reached from here."),
    user: named.describe("The account that may use Docker there."),
    port: writtenCount(65_535).describe("Of sshd. Default: 22.").optional(),
    address: named.describe("Where the other machines reach it: a private address."),
    cpus,
  },
  not("a machine; give its host, user, address and cpus"),
);

const sshSchema = z
  .strictObject({
    kind: z.literal("ssh"),
    ...topologyLabel,
    sizes: several(workers).describe("Workers of the gateway. Default: as many as its machine has CPUs.").optional(),
    privateKeyFile: matching(/\S/, "the file of a private key").describe(
      "The file of the key that all machines take; a path from the file's folder.",
    ),
    upstream: sshMachine,
    gateway: sshMachine,
    generator: sshMachine,
    workers: z
      .array(sshMachine, not('a list; write each entry as a line that begins with "- "'))
      .describe("For workers of the generator. Default: none.")
      .default([]),
  })
  .describe("Machines of your own.");

const sizeOnEc2 = z.union(
  [
    instanceType,
    z.strictObject({ instanceType, workers: workers.describe("Default: as many as it has CPUs.").optional() }),
  ],
  not('a size; write an instance type, such as c5.large, or "instanceType: c5.large" and "workers: 2"'),
);

/** What is rented from AWS, by itself or as nodes of a cluster. */
const rented = {
  region: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region, written like "eu-central-1"'),
  upstream: instanceType,
  generator: instanceType,
  worker: instanceType.describe("Of each of the generator's workers. Default: as the generator.").optional(),
  service: instanceType
    .describe("Of an authorizer's machine and its store's. Default: both stand beside the upstream.")
    .optional(),
  authorizerImage: named
    .describe('Of services/Dockerfile in a registry of yours, for scenarios with auth "external".')
    .optional(),
  spot: flag.describe("Cheaper, and taken away when others pay more. Default: false.").default(false),
  allowBurstable: flag.describe("Types whose CPU is a credit that runs out. Default: false.").default(false),
  allowSmallGenerator: flag.describe("A generator with fewer CPUs than the gateway. Default: false.").default(false),
};

const ec2Schema = z
  .strictObject({
    kind: z.literal("ec2"),
    ...topologyLabel,
    sizes: several(sizeOnEc2).describe("Instance types of the gateway."),
    ...rented,
    sshFrom: matching(/\S/, 'an address that may log in: your own, such as "203.0.113.7/32"').describe(
      "Who may log in: your own address, such as 203.0.113.7/32.",
    ),
    threadsPerCore: z
      .union([z.literal(1), z.literal(2)], not("1 (no hyper-threading) or 2"))
      .describe("1 switches hyper-threading off on all machines. Default: as the type comes.")
      .optional(),
    placementGroup: flag.describe("Machines near each other. Default: true, where no type is burstable.").optional(),
    ttl: durationSchema
      .describe(
        "After it machines end themselves. Default: twice what the lane is estimated to take, at least an hour.",
      )
      .optional(),
    zone: named.describe("Availability zone. Default: EC2 chooses.").optional(),
  })
  .describe("Machines on EC2.");

const eksSchema = z
  .strictObject({
    kind: z.literal("eks"),
    ...topologyLabel,
    sizes: several(sizeOnEc2).describe("Instance types of the gateway's node."),
    ...rented,
    version: matching(/^1\.\d+$/, 'a version of Kubernetes in quotes, written like "1.34"')
      .describe("Of Kubernetes. Default: what EKS gives a new cluster.")
      .optional(),
  })
  .describe("A cluster on EKS, with a node for each role.");

const kinds = ["local", "ssh", "ec2", "eks"] as const;
export const topologySchema = z.discriminatedUnion("kind", [localSchema, sshSchema, ec2Schema, eksSchema], {
  error: ({ input }) => {
    const isMapping = typeof input === "object" && input !== null && !Array.isArray(input);
    return isMapping
      ? `${shown((input as { readonly kind?: unknown }).kind)} is not one of ${kinds.join(", ")}`
      : `${shown(input)} is not a topology; begin it with "kind: " and one of ${kinds.join(", ")}`;
  },
});
export type TopologyAsked = z.infer<typeof topologySchema>;

/** Topologies of machines that are made for a lane, and cost money until they are taken down. */
export type RentedAsked = Extract<TopologyAsked, { region: string }>;
export const isRented = (topology: TopologyAsked): topology is RentedAsked => "region" in topology;

/** Where a topology's machines are rented. */
export const regionsOf = (topologies: readonly TopologyAsked[]): readonly string[] =>
  topologies.filter(isRented).map(({ region }) => region);
