import {
  durationSchema,
  fault,
  isFault,
  schemaFaults,
  scenarioNamed,
  secondsOf,
  loadOfWords,
  loadWordFaults,
  loadWords,
  writtenCount,
  type Duration,
  type Fault,
  type Load,
  type LoadWords,
  type NamedScenario,
} from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import type { Protocol } from "@gatebench/core";
import { z } from "zod";

/** Names as people list them, each once. */
const names = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))])
  .transform((listed) => [...new Set(listed.map((name) => name.trim()))])
  .refine((listed) => listed.length > 0 && listed.every(Boolean), "a name is empty; give names separated by commas");
const path = z.string().refine((text) => text.trim() !== "", "the path is empty");

const { pacePerConnection, ratePerS, spawnPerS, ...sameWords } = loadWords;
/** A command line's words are shorter than a file's. */
const spelledWords = { ...sameWords, pace: pacePerConnection, rate: ratePerS, spawn: spawnPerS };
const shorter: Readonly<Record<string, string>> = { pacePerConnection: "pace", ratePerS: "rate", spawnPerS: "spawn" };

/** What `gatebench bench` may be given, as the command line and presets spell it. */
export const benchOptionsSchema = z.strictObject({
  gateway: names.default(["nginx", "envoy"]),
  scenario: names.default(["plain", "key-auth-rate-limit", "tls-transactions"]),
  generator: names.default(["wrk", "hey"]),
  duration: durationSchema.optional(),
  ...spelledWords,
  script: path.optional(),
  generatorWorkers: writtenCount(64, 0).default(0),
  repetitions: writtenCount(100).optional(),
  workers: writtenCount(1024).optional(),
  seed: writtenCount(1_000_000_000, 0).default(1),
  portBase: writtenCount(32_000, 1024).optional(),
  observe: z.boolean().default(false),
  scrapeInterval: durationSchema.default("1s"),
  quick: z.boolean().default(false),
  keep: z.boolean().default(false),
  json: path.optional(),
  results: path.default("results"),
});
export type BenchOptions = z.infer<typeof benchOptionsSchema>;

/** The options, or one line for each thing wrong with them. */
export function readBenchOptions(given: Readonly<Record<string, unknown>>): BenchOptions | readonly Fault[] {
  const parsed = benchOptionsSchema.safeParse(given);
  if (!parsed.success) return schemaFaults("invalid-option", "-", parsed.error).map(asOption);
  const faults = [...loadWordFaults(wordsOf(parsed.data), spelled), ...durationFaults(parsed.data)];
  return faults.length > 0 ? faults : parsed.data;
}

const spelled = (word: string): string => `--${dashed(shorter[word] ?? word)}`;

const wordsOf = ({ pace, rate, spawn, ...same }: BenchOptions): LoadWords => ({
  ...same,
  pacePerConnection: pace,
  ratePerS: rate,
  spawnPerS: spawn,
});

/** Without a word of either there is a default duration, which then means nothing. */
function durationFaults({ iterations, duration }: BenchOptions): readonly Fault[] {
  return iterations === undefined || duration === undefined
    ? []
    : [fault("invalid-load", "--iterations ends a run by count, and --duration by time; give one of them.")];
}

/** "-.duration: …" is how a schema names an option; people write "--duration". */
const asOption = ({ code, message }: Fault): Fault => ({
  code,
  message: message.replace(/^-\.([a-zA-Z]+)(\.\d+)?/, (_, option: string) => `--${dashed(option)}`),
});

const dashed = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const defaultDuration: Duration = "1s";
const quickDuration: Duration = "2s";
/** Long enough for connections to open and code to warm; it is discarded. */
export const warmUp: Duration = "1s";

/** Interleaved rounds are a rest already: while one target is loaded the others idle. */
const coolDown: Duration = "0s";

export function protocolOf({ repetitions, quick }: BenchOptions): Protocol {
  return repeat({ runs: repetitions ?? (quick ? 1 : 5), warmUp, coolDown });
}

export function loadOf(options: BenchOptions, connection: NamedScenario["connection"]): Load {
  const { duration = options.quick ? quickDuration : defaultDuration } = options;
  return loadOfWords(wordsOf(options), { duration, connection });
}

/** What a run that ends by count may last, for want of anything better to say. */
const byCount: Duration = "10s";

/** Seconds one target is under load, warm-up included. */
export function loadSeconds(options: BenchOptions): number {
  const { maxRuns } = protocolOf(options);
  const { duration = byCount } = loadOf(options, "keep-alive");
  return secondsOf(warmUp) + (maxRuns - 1) * secondsOf(duration);
}

/** The scenarios asked for, and what is wrong with the rest. */
export function scenariosOf({ scenario }: BenchOptions): {
  readonly named: readonly NamedScenario[];
  readonly faults: readonly Fault[];
} {
  const found = scenario.map(scenarioNamed);
  return { named: found.filter((one): one is NamedScenario => !isFault(one)), faults: found.filter(isFault) };
}
