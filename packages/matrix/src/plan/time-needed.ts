import { secondsOf, type Duration, type Load } from "@gatebench/core";
import type { Lane, PlannedBenchmark } from "./expansion";
import type { Matrix } from "../matrix-file/matrix";

/**
 * Seconds that go by besides load and idle time. Measured where it says so; guesses are to be replaced by whoever measures.
 * A bench of 12 runs on this machine, two busy CPUs, 2026-11-21: up in 7 s with three targets verified, down in 9 s.
 */
export const overheadS = {
  /** Between two runs and around the tool: 0.4 to 1.3 s measured in that bench, 0.7 s on average. */
  run: 0.7,
  /** Of one target: 1 to 2 s measured in that bench. */
  verification: 1.5,
  /** Everything up and down again. */
  deployment: {
    /** Measured in that bench. */
    local: 12,
    /** A guess: a dozen connections up, a dozen down; images that are not there come on top. */
    ssh: 30,
    /** A guess: a minute to start, one for Docker and images, one to end. Nobody has measured it on EC2. */
    ec2: 180,
    /** A guess: EKS takes a quarter of an hour to make a cluster with its nodes, and nearly as long to take it down. */
    eks: 1500,
  },
} as const;

/** A load that ends by count may last anything; the runner of a bench assumes as much. */
const byCount: Duration = "10s";
/** A probe of a climb to saturation lasts as long as its load, and never longer. */
const longestProbe: Duration = "15s";

/** What the time of a lane is made of, in seconds. */
export interface TimeNeeded {
  /** Runs under load, warm-ups and probes included; the most there can be. */
  readonly runs: number;
  /** Times everything is deployed and taken down. */
  readonly deployments: number;
  readonly warmUpS: number;
  readonly loadS: number;
  readonly coolDownS: number;
  /** Deploying, verifying, and what every run takes besides its load. */
  readonly besidesS: number;
  readonly totalS: number;
}

/** How long a lane takes at most, as far as it can be told before anything runs. */
export function timeNeeded({ place, benchmarks }: Pick<Lane, "place" | "benchmarks">, matrix: Matrix): TimeNeeded {
  const { rounds, repetitions } = matrix.file;
  const deployments = rounds === "redeployed" ? repetitions : 1;
  const each = benchmarks.map((benchmark) => ofBenchmark(benchmark, matrix));
  const sum = (part: keyof PerDeployment) => deployments * each.reduce((total, one) => total + one[part], 0);
  const besidesS = sum("besidesS") + deployments * overheadS.deployment[place.topology.kind];
  const [warmUpS, loadS, coolDownS] = [sum("warmUpS"), sum("loadS"), sum("coolDownS")];
  return {
    ...{ runs: sum("runs"), deployments, warmUpS, loadS, coolDownS, besidesS },
    totalS: warmUpS + loadS + coolDownS + besidesS,
  };
}

type PerDeployment = Pick<TimeNeeded, "runs" | "warmUpS" | "loadS" | "coolDownS" | "besidesS">;

function ofBenchmark({ targets, load }: PlannedBenchmark, { protocol, file }: Matrix): PerDeployment {
  const { warmUps, probes, measured } = runsOf(protocol.maxRuns, file);
  const runS = durationS(load);
  const runs = targets.length * protocol.maxRuns;
  return {
    runs,
    warmUpS: targets.length * warmUps * (load.model === "iterations" ? runS : secondsOf(file.warmUp)),
    loadS: targets.length * (measured * runS + probes * Math.min(runS, secondsOf(longestProbe))),
    coolDownS: targets.length * (protocol.maxRuns - 1) * secondsOf(file.coolDown),
    besidesS: runs * overheadS.run + targets.length * overheadS.verification,
  };
}

/** Of one target in one deployment. */
function runsOf(maxRuns: number, { warmUp, rounds, repetitions }: Matrix["file"]) {
  const warmUps = secondsOf(warmUp) > 0 ? 1 : 0;
  const measured = Math.min(maxRuns - warmUps, rounds === "redeployed" ? 1 : repetitions);
  return { warmUps, measured, probes: maxRuns - warmUps - measured };
}

const durationS = (load: Load): number => secondsOf(load.duration ?? byCount);
