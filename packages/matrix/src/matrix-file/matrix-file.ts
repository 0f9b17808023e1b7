import {
  durationSchema,
  loadWords,
  scenarioSchema,
  writtenCount,
  type GatewayAdapter,
  type GeneratorAdapter,
} from "@gatebench/core";
import { z } from "zod";
import { protocolNames } from "../protocol-named";
import { shown } from "./shown";

/** What was given, and everything that is possible. Of an unknown key that is another sentence. */
const not = (wanted: string) => ({
  error: ({ code, input }: { readonly code?: string; readonly input?: unknown }) =>
    code === "unrecognized_keys" ? undefined : `${shown(input)} is not ${wanted}`,
});
const oneOf = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.enum(names, not(`one of ${names.join(", ")}`));
const matching = (form: RegExp, wanted: string) => z.string(not(wanted)).regex(form, not(wanted));

const wantedName = 'a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned"';
const kebab = matching(/^[a-z0-9]+(-[a-z0-9]+)*$/, wantedName).max(40, not(wantedName));
const named = matching(/\S/, "a name");
const options = z.record(z.string(), z.unknown(), not("options; write each as a line, name: value"));
const flag = z.boolean(not("true or false"));
const mapping = not("a mapping; write its keys as lines, key: value");
const several = <T extends z.ZodType>(one: T) =>
  z
    .array(one, not('a list; write each entry as a line that begins with "- "'))
    .min(1, "the list is empty; give at least one entry");

/** A program may give an adapter itself in place of its name. */
const madeGateway = z.custom<GatewayAdapter>((given) => has(given, "render"));
const madeGenerator = z.custom<GeneratorAdapter>((given) => has(given, "parse"));
const has = (given: unknown, member: string): boolean =>
  typeof given === "object" && given !== null && typeof (given as Record<string, unknown>)[member] === "function";

const label = (what: string) => kebab.describe(`What tables call it. Default: ${what}.`).optional();

const gatewaySchema = z.union(
  [
    named,
    z.strictObject({
      gateway: z
        .union([named, madeGateway], not("the name of a gateway"))
        .describe("One of ours by name, anybody's by package or path (./mine.js, their-package#export)."),
      as: label("the adapter's own name"),
      options: options.describe("As the adapter's own documentation names them.").optional(),
    }),
    madeGateway,
  ],
  not('a gateway; write its name, such as nginx, or "gateway: nginx" with what else is to be said of it'),
);

const generatorSchema = z.union(
  [
    named,
    z.strictObject({
      generator: z
        .union([named, madeGenerator], not("the name of a generator"))
        .describe("One of ours by name, anybody's by package or path."),
      as: label("the adapter's own name"),
      options: options.describe("As the adapter's own documentation names them.").optional(),
      script: named
        .describe("Your own script in the generator's language, in place of ours; a path from the file's folder.")
        .optional(),
      workers: writtenCount(64, 0).describe("Hosts that share its load, for one that can. Default: 0.").default(0),
    }),
    madeGenerator,
  ],
  not('a generator; write its name, such as wrk, or "generator: wrk" with what else is to be said of it'),
);

const connection = oneOf(["keep-alive", "per-request"]);
const scenario = z.union(
  [
    named,
    scenarioSchema.extend({
      name: kebab,
      connection: connection
        .describe("per-request: a new connection for each request. Default: keep-alive.")
        .default("keep-alive"),
    }),
  ],
  not('a scenario; write its name, such as plain, or one in full, beginning with "name: "'),
);

/** Defaults are filled in later, so that what was written can be told from what was not. */
const load = z.strictObject(
  {
    ...loadWords,
    connections: loadWords.connections
      .unwrap()
      .describe("Each sends its next request when the last is answered. Default: 32.")
      .optional(),
    duration: durationSchema
      .describe("Of each run; nothing where it ends by count (iterations). Default: 10s.")
      .optional(),
  },
  not('a load; write its words, such as "connections: 32"'),
);
export type LoadAsked = z.infer<typeof load>;

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

const ec2Schema = z
  .strictObject({
    kind: z.literal("ec2"),
    ...topologyLabel,
    sizes: several(sizeOnEc2).describe("Instance types of the gateway."),
    region: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region, written like "eu-central-1"'),
    sshFrom: matching(/\S/, 'an address that may log in: your own, such as "203.0.113.7/32"').describe(
      "Who may log in: your own address, such as 203.0.113.7/32.",
    ),
    upstream: instanceType,
    generator: instanceType,
    worker: instanceType.describe("Of each of the generator's workers. Default: as the generator.").optional(),
    threadsPerCore: z
      .union([z.literal(1), z.literal(2)], not("1 (no hyper-threading) or 2"))
      .describe("1 switches hyper-threading off on all machines. Default: as the type comes.")
      .optional(),
    placementGroup: flag.describe("Machines near each other. Default: true, where no type is burstable.").optional(),
    spot: flag.describe("Cheaper, and taken away when others pay more. Default: false.").default(false),
    allowBurstable: flag.describe("Types whose CPU is a credit that runs out. Default: false.").default(false),
    allowSmallGenerator: flag.describe("A generator with fewer CPUs than the gateway. Default: false.").default(false),
    ttl: durationSchema
      .describe(
        "After it machines end themselves. Default: twice what the lane is estimated to take, at least an hour.",
      )
      .optional(),
    zone: named.describe("Availability zone. Default: EC2 chooses.").optional(),
  })
  .describe("Machines on EC2.");

const kinds = ["local", "ssh", "ec2"] as const;
const topologySchema = z.discriminatedUnion("kind", [localSchema, sshSchema, ec2Schema], {
  error: ({ input }) => {
    const isMapping = typeof input === "object" && input !== null && !Array.isArray(input);
    return isMapping
      ? `${shown((input as { readonly kind?: unknown }).kind)} is not one of ${kinds.join(", ")}`
      : `${shown(input)} is not a topology; begin it with "kind: " and one of ${kinds.join(", ")}`;
  },
});
export type TopologyAsked = z.infer<typeof topologySchema>;

const word = not("a name, or a list of names");
const some = z.union([named, several(named)], word).transform((given) => [given].flat());
const aSize = z.union([named, z.number()], word);
/** Cells by what they are; every word that is given must fit, a list fits with any of its names. */
const ruleSchema = z
  .strictObject(
    {
      gateway: some.optional(),
      scenario: some.optional(),
      generator: some.optional(),
      load: some.describe('By its short name, such as "c32".').optional(),
      size: z
        .union([aSize, several(aSize)], word)
        .transform((given) => [given].flat().map(String))
        .describe('As the plan names it: "2" workers, or an instance type.')
        .optional(),
      topology: some.optional(),
    },
    not('a rule; write words of cells, such as "gateway: nginx"'),
  )
  .refine(
    (rule) => Object.values(rule).some((given) => given !== undefined),
    "a rule without a word fits everything; give at least one of gateway, scenario, generator, load, size, topology",
  );
export type Rule = z.infer<typeof ruleSchema>;

const figure = z.number(not("a number from 0")).min(0, not("a number from 0")).optional();
const publishedSchema = z.strictObject(
  {
    source: named.describe("Who published it, and where."),
    figures: several(
      z.strictObject(
        {
          gateway: named.optional(),
          scenario: named.optional(),
          generator: named.optional(),
          load: named.optional(),
          size: named.optional(),
          topology: named.optional(),
          rps: figure,
          tlsTps: figure,
          p99Ms: figure,
          p95Ms: figure,
          meanMs: figure,
          note: named.optional(),
        },
        mapping,
      ),
    ).describe("Each stands beside the cells that its words fit."),
  },
  mapping,
);
export type Published = z.infer<typeof publishedSchema>;

/** A matrix as a person writes it: `gatebench matrix FILE`. */
export const matrixFileSchema = z.strictObject(
  {
    name: kebab.describe("Names the experiment's folder."),
    preset: named
      .describe("A published test, where everything comes from that this file does not say itself.")
      .optional(),
    gateways: several(gatewaySchema).describe(
      "What is compared. The path without a gateway is measured beside it, always.",
    ),
    scenarios: several(scenario)
      .describe("What every gateway is asked to do: by name, or in full. Default: plain.")
      .default(["plain"]),
    generators: several(generatorSchema).describe("What sends the load. Default: wrk.").default(["wrk"]),
    loads: several(load).describe("The traffic. Default: 32 connections for 10s.").prefault([{}]),
    topologies: several(topologySchema)
      .describe("Where it is measured. Default: this machine.")
      .prefault([{ kind: "local" }]),
    upstream: oneOf(["static-payload", "go-bench-suite"])
      .describe("What answers behind the gateway. Default: static-payload.")
      .default("static-payload"),
    protocol: oneOf(protocolNames)
      .describe(
        "repeat: the same run again and again. until-stable: until the figures hold still. saturate: raises the connections until the gateway is full, and measures there. Default: repeat.",
      )
      .default("repeat"),
    repetitions: writtenCount(100)
      .describe('Measured runs of each cell; the most of them with "until-stable". Default: 5.')
      .default(5),
    warmUp: durationSchema
      .describe("Of the first run of each cell, which is discarded; 0s: none. Default: 5s.")
      .default("5s"),
    coolDown: durationSchema.describe("Idle time before each further run. Default: 0s.").default("0s"),
    rounds: oneOf(["kept", "redeployed"])
      .describe(
        "kept: all gateways of a lane are deployed once, idle while another is measured, and rounds go through them. redeployed: each round deploys everything anew; the deployment is then what intervals are made of. Default: kept.",
      )
      .default("kept"),
    include: several(ruleSchema).describe("Only cells that fit one of these rules.").optional(),
    exclude: several(ruleSchema).describe("And none that fits one of these.").optional(),
    seed: writtenCount(1_000_000_000, 0).describe("Of the order of gateways in each round. Default: 1.").default(1),
    parallel: writtenCount(32)
      .describe("Lanes under way at once; one where they would measure each other. Default: 1.")
      .default(1),
    budgetUsd: z
      .number(not("an amount above 0, in US dollars"))
      .positive(not("an amount above 0, in US dollars"))
      .describe("The most the machines may cost, in US dollars; needed where machines cost something.")
      .optional(),
    published: publishedSchema.describe("Figures of a published test, to stand beside ours.").optional(),
    differsIn: several(named).describe("In what ours differs from the published test.").optional(),
  },
  mapping,
);
export type MatrixFile = z.infer<typeof matrixFileSchema>;
/** What a person has to write: everything with a default may be left out. */
export type MatrixFileGiven = z.input<typeof matrixFileSchema>;
