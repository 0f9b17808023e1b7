import { durationSchema, fault, loadWords, purposes, refuseFaults, writtenCount } from "@gatebench/core";
import { ownConfig, readSettings, stackSettings, writtenFlag } from "@gatebench/matrix/stack";
import { z } from "zod";
import { presets, type Preset } from "./presets";

const userCounts = z
  .string()
  .transform((text): unknown[] => text.split(","))
  .pipe(z.array(loadWords.users.unwrap()));

/** Every key a stack file may set: those of all stacks (stack-settings.ts), and this one's. */
const schema = z.strictObject({
  ...stackSettings,
  /**
   * A published test: tyk-baseline, tyk-proxy, tyk-full, tyk-full-post, lb-single, lb-round-robin, lb-least-connections,
   * lb-micro. Every other key changes it.
   */
  preset: z.string().optional(),
  /**
   * What answers behind the gateway: static-payload, go-bench-suite, or a container in full, such as
   * {"name":"app","image":"registry.example/app:1.2.3","command":["app"],"port":8080}.
   */
  upstream: z.string().default("static-payload"),
  /** Machines for the scenario's upstreams, which stand on them in turn. */
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
  /** Who may log in: your own address, such as 203.0.113.7/32. */
  sshFrom: z.string().default(""),
  sshFromAnywhere: writtenFlag.default(false),
  upstreamType: z.string().default("c5.xlarge"),
  gatewayType: z.string().default("c5.xlarge"),
  generatorType: z.string().default("c5.2xlarge"),
  /** Of each of the generator's workers. */
  workerType: z.string().default("c5.xlarge"),
  /** Prometheus, Grafana and node exporters beside the runs, on a machine of their own, and figures by PromQL in results. */
  observe: writtenFlag.default(false),
  /** From one scrape to the next. */
  scrapeInterval: durationSchema.default("1s"),
  /** Whether the generator sends Prometheus its own series too. */
  remoteWrite: writtenFlag.default(false),
  /** Of the machine for Prometheus and Grafana. */
  observerType: z.string().default("c5.large"),
  /** Whether Grafana is there too, where there is an observatory. */
  grafana: writtenFlag.default(true),
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
export const ownKeys = Object.keys(schema.shape).filter((key) => !(key in stackSettings));

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
  return { asked: readSettings(schema, preset?.settings), preset: preset && withChanges(preset) };
}

/** What a stack file changes of a published test, it differs in. */
function withChanges(preset: Preset): Preset {
  const given: Readonly<Record<string, string | undefined>> = preset.settings;
  const changed = Object.entries(ownConfig()).filter(([key, value]) => (given[key] ?? value) !== value);
  return { ...preset, differsIn: [...preset.differsIn, ...changed.map(([key]) => `${key} as this stack has it`)] };
}
