import {
  durationSchema,
  fault,
  isFault,
  schemaFaults,
  scenarioNamed,
  secondsOf,
  writtenCount,
  writtenRate,
  type Duration,
  type Fault,
  type Load,
  type NamedScenario,
} from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import type { Protocol } from "@gatebench/core";
import { z } from "zod";

/** One address of this machine has no more ports for connections to one gateway. */
const mostConnections = 20_000;

/** Names as people list them, each once. */
const names = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))])
  .transform((listed) => [...new Set(listed.map((name) => name.trim()))])
  .refine((listed) => listed.length > 0 && listed.every(Boolean), "a name is empty; give names separated by commas");
const path = z.string().refine((text) => text.trim() !== "", "the path is empty");

/** What `gatebench bench` may be given, as the command line and presets spell it. */
export const benchOptionsSchema = z.strictObject({
  gateway: names.default(["nginx", "envoy"]),
  scenario: names.default(["plain", "key-auth-rate-limit", "tls-transactions"]),
  generator: names.default(["wrk", "hey"]),
  duration: durationSchema.optional(),
  connections: writtenCount(mostConnections).default(32),
  threads: writtenCount(1024).optional(),
  pace: writtenRate(1_000_000).optional(),
  rate: writtenRate(10_000_000).optional(),
  repetitions: writtenCount(100).optional(),
  workers: writtenCount(1024).optional(),
  seed: writtenCount(1_000_000_000, 0).default(1),
  portBase: writtenCount(32_000, 1024).optional(),
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
  const { pace, rate } = parsed.data;
  const both = pace !== undefined && rate !== undefined;
  return both
    ? [
        fault(
          "invalid-load",
          "an arrival rate (--rate) and a pace per connection (--pace) are two models of load; give one of them.",
        ),
      ]
    : parsed.data;
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

export function loadOf(
  { connections, threads, pace, rate, duration, quick }: BenchOptions,
  connection: NamedScenario["connection"],
): Load {
  const common = { duration: duration ?? (quick ? quickDuration : defaultDuration), connection };
  if (rate !== undefined) return { model: "open", ratePerS: rate, maxInFlight: connections, ...common };
  return {
    model: "closed",
    connections,
    ...common,
    ...(threads ? { threads } : {}),
    ...(pace ? { pacePerConnection: pace } : {}),
  };
}

/** Seconds one target is under load, warm-up included. */
export function loadSeconds(options: BenchOptions): number {
  const { maxRuns } = protocolOf(options);
  const { duration } = loadOf(options, "keep-alive");
  return secondsOf(warmUp) + (maxRuns - 1) * secondsOf(duration as Duration);
}

/** The scenarios asked for, and what is wrong with the rest. */
export function scenariosOf({ scenario }: BenchOptions): {
  readonly named: readonly NamedScenario[];
  readonly faults: readonly Fault[];
} {
  const found = scenario.map(scenarioNamed);
  return { named: found.filter((one): one is NamedScenario => !isFault(one)), faults: found.filter(isFault) };
}
