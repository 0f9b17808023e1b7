import { durationSchema, loadWords, scenarioSchema, writtenCount } from "@gatebench/core";
import { z } from "zod";
import { protocolNames } from "../protocol-named";
import { gatewaySchema, generatorSchema } from "./adapter-asked";
import { ruleSchema } from "./rule";
import { topologySchema } from "./topology-asked";
import { kebab, mapping, named, not, oneOf, several } from "./words";

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
