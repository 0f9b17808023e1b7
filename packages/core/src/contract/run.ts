import { z } from "zod";
import { loadResultSchema, type LoadResult } from "./load-result";
import { loadSchema, type Load } from "./load";
import type { Counters } from "./deployment";
import { runFigureSchema, type RunFigure } from "./queried-figure";
import { warningSchema, type Warning } from "./warning";

export const runPurposes = ["warm-up", "probe", "measure", "confirm"] as const;
/** warm-up: discarded. probe: looks for a load. measure: figures are taken from it. confirm: repeats a finding. */
export type RunPurpose = (typeof runPurposes)[number];

/** CPU and memory of one workload over exactly one run. */
export interface WorkloadUsage {
  readonly name: string;
  readonly role: string;
  readonly cpuS: number;
  /** Cores it may use: its workers, its CPU set, or its limit. */
  readonly cores: number;
  /** The most it had; null: not observed. */
  readonly memoryBytes: number | null;
}

/** What one host did during one run. null: this host cannot tell. */
export interface HostUsage {
  readonly host: string;
  readonly roles: readonly string[];
  readonly cpus: number;
  /** Of all CPUs, 0 to 1. */
  readonly cpuFraction: number;
  /** The busiest CPU, 0 to 1. */
  readonly busiestCpuFraction: number;
  readonly softirqFraction: number;
  readonly stealFraction: number;
  readonly throttledS: number | null;
  readonly memoryUsedBytes: number;
  readonly network: { readonly receivedBytes: number; readonly sentBytes: number };
  readonly tcp: {
    readonly sentSegments: number;
    readonly retransmittedSegments: number;
    readonly listenOverflows: number;
  };
  /** Bandwidth, packet and connection allowances exceeded, by the network card's own names. */
  readonly allowance: Readonly<Record<string, number>> | null;
  readonly workloads: readonly WorkloadUsage[];
  /** CPU of what else we keep running there, such as gateways whose turn it is not, by name; what used none is left out. */
  readonly idle?: Readonly<Record<string, number>>;
  /** CPU of gatebench itself on this host: what it takes from the measurement. */
  readonly harnessCpuS: number;
  readonly samples: number;
}

/** A failure is data: what went wrong, and where its output lies. */
export interface Failure {
  readonly code:
    | "job-failed"
    | "job-lost"
    | "timed-out"
    | "unparsed-output"
    | "not-ready"
    | "workload-gone"
    | "host-unready"
    | "host-unreachable"
    | "image-unavailable";
  readonly message: string;
  /** The part of the output that was not understood, or its last lines. */
  readonly excerpt?: string;
}

/** A file beside the result. */
export interface Artifact {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What gateway and upstream counted over exactly one run. */
export interface RunCounters {
  readonly gateway?: Counters;
  /** All upstreams together. */
  readonly upstream?: Counters;
  /** Each of them in their order, where there are several; null: not known, because it counts nothing, went away or began anew. */
  readonly upstreams?: readonly (Counters | null)[];
}

/** One execution of a load against one target, with everything observed during it. */
export interface Run {
  readonly id: string;
  /** Place in the order in which all runs of the benchmark took place, from 1. */
  readonly order: number;
  readonly target: string;
  /** Which life of the gateway it loaded, from 1, where it was deployed anew between runs. */
  readonly deployment?: number;
  readonly purpose: RunPurpose;
  readonly asked: Load;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: { readonly result: LoadResult } | { readonly failure: Failure };
  /** Responses per second; only where connections equal responses and resumption was shown refused. */
  readonly tlsTps?: number;
  readonly hosts: readonly HostUsage[];
  readonly counters?: RunCounters;
  /** CPU of the gateway per request; steadier than RPS, and what a bill is made of. */
  readonly cpuMicrosPerRequest?: number;
  /** By PromQL, where an observatory stood beside the run. */
  readonly figures?: readonly RunFigure[];
  /** The tool's command, with references where values stood. */
  readonly command: readonly string[];
  readonly artifacts: readonly Artifact[];
  readonly warnings: readonly Warning[];
}

const count = z.int().nonnegative();
const countersSchema = z.strictObject({
  requests: count.optional(),
  connections: count.optional(),
  handshakes: count.optional(),
  resumptions: count.optional(),
  statuses: z.record(z.string(), count).optional(),
});

const workloadUsageSchema = z.strictObject({
  name: z.string(),
  role: z.string(),
  cpuS: z.number(),
  cores: z.number(),
  memoryBytes: z.number().nullable(),
});

const hostUsageSchema = z.strictObject({
  host: z.string(),
  roles: z.array(z.string()),
  cpus: z.number(),
  cpuFraction: z.number(),
  busiestCpuFraction: z.number(),
  softirqFraction: z.number(),
  stealFraction: z.number(),
  throttledS: z.number().nullable(),
  memoryUsedBytes: z.number(),
  network: z.strictObject({ receivedBytes: z.number(), sentBytes: z.number() }),
  tcp: z.strictObject({ sentSegments: z.number(), retransmittedSegments: z.number(), listenOverflows: z.number() }),
  allowance: z.record(z.string(), z.number()).nullable(),
  workloads: z.array(workloadUsageSchema),
  idle: z.record(z.string(), z.number()).optional(),
  harnessCpuS: z.number(),
  samples: count,
});

const failureSchema = z.strictObject({
  code: z.enum([
    "job-failed",
    "job-lost",
    "timed-out",
    "unparsed-output",
    "not-ready",
    "workload-gone",
    "host-unready",
    "host-unreachable",
    "image-unavailable",
  ]),
  message: z.string(),
  excerpt: z.string().optional(),
});

export const runSchema = z.strictObject({
  id: z.string(),
  order: z.int().positive(),
  target: z.string(),
  deployment: z.int().positive().optional(),
  purpose: z.enum(runPurposes),
  asked: loadSchema,
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  outcome: z.union([z.strictObject({ result: loadResultSchema }), z.strictObject({ failure: failureSchema })]),
  tlsTps: z.number().optional(),
  hosts: z.array(hostUsageSchema),
  counters: z
    .strictObject({
      gateway: countersSchema.optional(),
      upstream: countersSchema.optional(),
      upstreams: z.array(countersSchema.nullable()).optional(),
    })
    .optional(),
  cpuMicrosPerRequest: z.number().optional(),
  figures: z.array(runFigureSchema).optional(),
  command: z.array(z.string()),
  artifacts: z.array(z.strictObject({ path: z.string(), bytes: count, sha256: z.string() })),
  warnings: z.array(warningSchema),
});

/** The figures of a run that gave some. */
export function resultOf(run: Run): LoadResult | undefined {
  return "result" in run.outcome ? run.outcome.result : undefined;
}
