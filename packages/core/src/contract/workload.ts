import type { Duration } from "./duration";
import type { Reference } from "./reference";

/** How to tell that a workload answers. */
export interface Readiness {
  readonly port: number;
  /** Asked with GET; without, a TCP connection is enough. */
  readonly path?: string;
  /** Default 200. */
  readonly status?: number;
  readonly scheme?: "http" | "https";
  /** How long to wait after the start. Default "15s". */
  readonly within?: Duration;
}

/**
 * One process or container to keep running.
 *
 * It runs the same everywhere: a container host starts the image with `command` in place of its entry point, this
 * machine starts the same argv from PATH. Texts may hold references.
 */
export interface Workload {
  /** Kebab-case, unique in its deployment. */
  readonly name: string;
  readonly role: "gateway" | "support" | "upstream" | "generator" | "observer";
  /** Pinned: `name:tag`, never `latest`. */
  readonly image: string;
  /** What a container host builds the image from, where no registry has it. */
  readonly dockerfile?: string;
  /** argv; the first is looked up on PATH where no container is used. */
  readonly command: readonly string[];
  /** What has to be on PATH where no container is used: a shell starts other programs than itself. Default: the command's first. */
  readonly programs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Text by path, relative to the workload's folder. */
  readonly files?: Readonly<Record<string, string | Reference>>;
  readonly ports: Readonly<Record<string, number>>;
  readonly limits?: { readonly cpu?: number; readonly memory?: string };
  /** CPUs it may use, as in "0-3,7". */
  readonly cpuset?: string;
  readonly hostEntries?: Readonly<Record<string, string>>;
  /** Where workloads have a network of their own, it has its machine's: it tells of that. */
  readonly machineNetwork?: boolean;
  /** Open files wanted; a host gives at most its hard limit. */
  readonly openFiles?: number;
  readonly readiness?: Readiness;
  /** Prints the version that really runs, whatever was pinned; its first line stands in results. */
  readonly versionCommand?: readonly string[];
}

/** One command that ends and leaves output. */
export interface Job {
  readonly image: string;
  /** As of a workload. */
  readonly dockerfile?: string;
  readonly command: readonly string[];
  /** As of a workload. */
  readonly programs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Files the command writes that `parse` needs, relative to its folder. */
  readonly collect?: readonly string[];
  readonly openFiles?: number;
  /** Of its generator's ports, those it listens on itself for other hosts: a coordinator's. */
  readonly ports?: Readonly<Record<string, number>>;
  readonly cpuset?: string;
  /** Prints the version of the tool that really ran; its first line stands in results. */
  readonly versionCommand?: readonly string[];
  /** After this many seconds it is killed, and that is its result. */
  readonly killAfterS: number;
}

/** What a job left. The same shape holds output pasted by a person. */
export interface JobOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Readonly<Record<string, string>>;
  /** null: killed by a signal. */
  readonly exitCode: number | null;
}
