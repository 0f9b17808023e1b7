import { gunzipSync, gzipSync } from "node:zlib";
import type {
  Artifact,
  CounterPage,
  Failure,
  HostUsage,
  Job,
  JobOutput,
  QueriedFigure,
  Readiness,
  RunCounters,
  RunFigure,
} from "../contract";

/** Pages to read on one host, and what they count for. */
export interface CountedPages {
  readonly host: string;
  readonly pages: readonly CounterPage[];
}

/** Something that must answer before a run begins. */
export interface Probed extends Readiness {
  readonly name: string;
  readonly host: string;
  /** How many there are of its kind, where they share the load: one that is gone after the run is a finding, all are a failure. */
  readonly oneOf?: number;
}

/** One of several that no longer answered after a run. */
export interface LostWorkload {
  readonly name: string;
  readonly reason: string;
  readonly oneOf: number;
}

/** A workload whose CPU a run reports. */
export interface WatchedWorkload {
  /** As the host knows it. */
  readonly name: string;
  /** Name of the host it runs on. */
  readonly host: string;
  readonly role: string;
  /** Cores it may use. */
  readonly cores: number;
}

/** Another host that takes part in a run, and where it tells what it does. */
export interface ObservedHost {
  readonly name: string;
  readonly address: string;
  readonly port: number;
}

/** A figure as it is asked of one run: whose series it is about stands in its query, the run's length not yet. */
export interface AskedFigure {
  readonly figure: QueriedFigure;
  /** Scrape jobs that must have answered throughout. */
  readonly jobs: readonly string[];
  /** Why it cannot be asked of this run. */
  readonly missing?: string;
}

/** Who scrapes beside a run, and what is asked of it afterwards. */
export interface ObservatoryOrder {
  readonly host: string;
  readonly port: number;
  readonly scrapeIntervalS: number;
  /** How many pages it scrapes. */
  readonly targets: number;
  /** The scrape job by which it looks at itself. */
  readonly job: string;
  readonly figures: readonly AskedFigure[];
}

/** Everything a host needs to carry out one job. Texts are in reference form; the values lie in the session's vault. */
export interface JobOrder {
  /** hash(session, the execution before it, what runs). */
  readonly id: string;
  readonly session: string;
  /** Names the values in the session's vault; empty: none. */
  readonly vault: string;
  /** What a person reads while it runs. */
  readonly label: string;
  readonly job: Job;
  readonly coolDownS: number;
  readonly probed: readonly Probed[];
  readonly counted: { readonly gateway: readonly CountedPages[]; readonly upstream: readonly CountedPages[] };
  readonly watched: readonly WatchedWorkload[];
  readonly observed: readonly ObservedHost[];
  readonly observatory?: ObservatoryOrder;
}

/** What a host says of one job, however often it is asked. */
export interface JobRecord {
  /** Drawn when the job was carried out; the next id in the chain is made from it, so that a repeated run is followed by repeated runs. */
  readonly execution: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: { readonly output: JobOutput } | { readonly failure: Failure };
  readonly counters: RunCounters;
  /** Those of several that ended under the load. */
  readonly lost?: readonly LostWorkload[];
  readonly hosts: readonly HostUsage[];
  readonly figures?: readonly RunFigure[];
  readonly artifacts: readonly Artifact[];
  /** What the tool says of its own version, where it was asked. */
  readonly toolVersion?: string;
  /** Where the artifacts lie on the host. */
  readonly folder: string;
}

const lineLength = 76;

/** Compressed and in short lines: a 64 KiB line hangs the command plug-in, and large outputs make every later `up` slow. */
export function packRecord(record: JobRecord): string {
  const text = gzipSync(JSON.stringify(record)).toString("base64");
  return text.replace(new RegExp(`.{${lineLength}}`, "g"), "$&\n");
}

export function unpackRecord(text: string): JobRecord {
  return JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString("utf8")) as JobRecord;
}
