import { durationSchema, loadWords, scenarioSchema, writtenCount } from "@gatebench/core";
import { z } from "zod";

const kebab = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "a name is kebab-case: small letters, digits and hyphens")
  .max(40);
const named = z.string().min(1, "a name is empty");
const options = z.record(z.string(), z.unknown());
const several = <T extends z.ZodType>(one: T) => z.array(one).min(1, "at least one is needed");

/** One of ours by name, anybody's by package or path; with options it needs a label to be told by where it stands twice. */
const gatewaySchema = z.union([
  named,
  z.strictObject({
    gateway: named,
    /** What tables call it. Default: the adapter's own name. */
    as: kebab.optional(),
    /** As the adapter's own documentation names them. */
    options: options.optional(),
  }),
]);

const generatorSchema = z.union([
  named,
  z.strictObject({
    generator: named,
    as: kebab.optional(),
    options: options.optional(),
    /** Your own script in its language, in place of ours; a path from the file's folder. */
    script: named.optional(),
    /** Hosts that share its load, for one that can. */
    workers: writtenCount(64, 0).default(0),
  }),
]);

const connection = z.enum(["keep-alive", "per-request"]);
const scenario = z.union([named, scenarioSchema.extend({ connection: connection.default("keep-alive") })]);

const load = z.strictObject({
  ...loadWords,
  /** Of each run; nothing where it ends by count. */
  duration: durationSchema.default("10s"),
});

const workers = writtenCount(1024);
const instanceType = z.string().regex(/^[a-z0-9-]+\.[a-z0-9-]+$/, 'an instance type is written like "c5.large"');

/** This machine; sizes are the gateway's workers. */
const localSchema = z.strictObject({
  kind: z.literal("local"),
  sizes: several(workers).optional(),
  /** First of 400 ports to listen on. Default: derived from the folder. */
  portBase: writtenCount(32_000, 1024).optional(),
});

const sshMachine = z.strictObject({
  /** Where it is reached from here. */
  host: named,
  user: named,
  port: writtenCount(65_535).optional(),
  /** Where the other machines reach it. */
  address: named,
  cpus: workers,
});

/** Machines of your own; sizes are the gateway's workers. */
const sshSchema = z.strictObject({
  kind: z.literal("ssh"),
  sizes: several(workers).optional(),
  /** The file of the key that all of them take. */
  privateKeyFile: named,
  upstream: sshMachine,
  gateway: sshMachine,
  generator: sshMachine,
  workers: z.array(sshMachine).default([]),
});

/** Machines on EC2; sizes are the gateway's instance types. */
const ec2Schema = z.strictObject({
  kind: z.literal("ec2"),
  sizes: several(z.union([instanceType, z.strictObject({ instanceType, workers: workers.optional() })])),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region is written like "eu-central-1"'),
  /** Who may log in: your own address, such as 203.0.113.7/32. */
  sshFrom: named,
  upstream: instanceType,
  generator: instanceType,
  /** Of each of the generator's workers. Default: as the generator. */
  worker: instanceType.optional(),
  threadsPerCore: z.union([z.literal(1), z.literal(2)]).optional(),
  placementGroup: z.boolean().optional(),
  spot: z.boolean().default(false),
  allowBurstable: z.boolean().default(false),
  allowSmallGenerator: z.boolean().default(false),
  /** After it machines end themselves. Default: twice what the lane is estimated to take, at least an hour. */
  ttl: durationSchema.optional(),
  zone: z.string().optional(),
});

const topologySchema = z.discriminatedUnion("kind", [localSchema, sshSchema, ec2Schema]);
export type TopologyAsked = z.infer<typeof topologySchema>;

const some = z.union([z.string(), several(z.string())]).transform((given) => [given].flat());
/** Cells by what they are; every word that is given must fit, a list fits with any of its names. */
const ruleSchema = z
  .strictObject({
    gateway: some.optional(),
    scenario: some.optional(),
    generator: some.optional(),
    load: some.optional(),
    /** As the plan names it: "2" workers, or an instance type. */
    size: z
      .union([z.string(), z.number(), several(z.union([z.string(), z.number()]))])
      .transform((given) => [given].flat().map(String))
      .optional(),
    topology: some.optional(),
  })
  .refine((rule) => Object.values(rule).some((word) => word !== undefined), "a rule without a word fits everything");
export type Rule = z.infer<typeof ruleSchema>;

/** A matrix as a person writes it: `gatebench matrix FILE`. */
export const matrixFileSchema = z.strictObject({
  /** Names the experiment's folder. */
  name: kebab,
  /** Where sensible defaults come from: a published test. Every other key comes before it. */
  preset: z.string().optional(),
  gateways: several(gatewaySchema),
  scenarios: several(scenario).default(["plain"]),
  generators: several(generatorSchema).default(["wrk"]),
  loads: several(load).prefault([{}]),
  topologies: several(topologySchema).prefault([{ kind: "local" }]),
  upstream: z.enum(["static-payload", "go-bench-suite"]).default("static-payload"),
  protocol: z.enum(["repeat", "until-stable", "saturate"]).default("repeat"),
  /** Measured runs of each cell; the most of them with "until-stable". */
  repetitions: writtenCount(100).default(5),
  warmUp: durationSchema.default("5s"),
  coolDown: durationSchema.default("0s"),
  /**
   * kept: all gateways of a lane are deployed once, idle while another is measured, and rounds go through them.
   * redeployed: each round deploys everything anew; the deployment is then what intervals are made of.
   */
  rounds: z.enum(["kept", "redeployed"]).default("kept"),
  /** Only cells that fit one of these rules. */
  include: several(ruleSchema).optional(),
  /** And none that fits one of these. */
  exclude: several(ruleSchema).optional(),
  /** Of the order of gateways in each round. */
  seed: writtenCount(1_000_000_000, 0).default(1),
  /** Lanes under way at once; one on this machine, where they would measure each other. */
  parallel: writtenCount(32).default(1),
  /** The most the machines may cost, in US dollars; needed where machines cost something. */
  budgetUsd: z.number().positive().optional(),
});
export type MatrixFile = z.infer<typeof matrixFileSchema>;
/** What a person has to write: everything with a default may be left out. */
export type MatrixFileGiven = z.input<typeof matrixFileSchema>;
