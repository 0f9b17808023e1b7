import cliProgress from "cli-progress";
import { describeWarning, resultOf, type Run, type Verification } from "@gatebench/core";
import { lookOf, wrapped, type Look } from "./look";
import { grouped } from "./counts-in-words";

/** What a person sees while a bench goes on. Everything goes to standard error: standard output is for the tables. */
export interface Progress {
  note(text: string): void;
  /** The resource of a run or a verification begins. */
  begins(name: string): void;
  verified(benchmark: string, verification: Verification): void;
  ran(benchmark: string, run: Run): void;
  end(): void;
}

/**
 * A line per run, and on a terminal a bar with what runs now and how long it will all take.
 * @param atOnce  How many runs go on side by side.
 */
export function openProgress(totalRuns: number, loadSeconds: number, atOnce = 1): Progress {
  const look = lookOf(process.stderr);
  const pace = new Pace(totalRuns, loadSeconds, atOnce);
  const bar = process.stderr.isTTY ? openBar(pace, look) : undefined;
  const say = (text: string) => (bar ? bar.log(`${text}\n`) : process.stderr.write(`${text}\n`));
  const name = columnsOf(look);
  return {
    note: (text) => say(wrapped(text, look.columns).join("\n")),
    begins: (what) => bar?.show(what),
    verified: (benchmark, verification) => {
      pace.begins();
      say(verifiedLine(name(benchmark, verification.target), verification, look));
    },
    ran: (benchmark, run) => {
      pace.ran(run);
      say(runLine(name(benchmark, run.target), run, pace, look));
      bar?.show("");
    },
    end: () => bar?.stop(),
  };
}

/** How far it is, and how long the rest will take: its load, and for each run what a run took besides. */
export class Pace {
  done = 0;
  #busyS = 0;
  #begun = Date.now();

  constructor(
    readonly total: number,
    private readonly loadS: number,
    private readonly atOnce = 1,
  ) {}

  /** Runs begin no sooner than now. */
  begins(now = Date.now()): void {
    if (this.done === 0) this.#begun = now;
  }

  ran({ startedAt, endedAt }: Pick<Run, "startedAt" | "endedAt">): void {
    this.done += 1;
    this.#busyS += (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  }

  leftS(now = Date.now()): number {
    const spentS = ((now - this.#begun) / 1000) * this.atOnce;
    const besides = this.done === 0 ? 0 : Math.max(0, spentS - this.#busyS) / this.done;
    return (Math.max(0, this.loadS - this.#busyS) + besides * (this.total - this.done)) / this.atOnce;
  }
}

/** Four looks a second would be load of our own; one is enough for people. */
const barFps = 1;
const barSize = 20;

function openBar(pace: Pace, { columns, colours }: Look) {
  const begun = Date.now();
  let now = "";
  const format = (): string => {
    const filled = pace.total === 0 ? 0 : Math.round((pace.done / pace.total) * barSize);
    const bar = "■".repeat(filled) + "·".repeat(barSize - filled);
    const left = pace.done < pace.total ? `, about ${clock(pace.leftS())} left` : "";
    const text = `${bar} ${pace.done}/${pace.total} runs, ${clock((Date.now() - begun) / 1000)}${left}  ${now}`;
    return colours.cyan(text.slice(0, columns - 1));
  };
  const bars = new cliProgress.MultiBar({
    format,
    fps: barFps,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
  });
  const bar = bars.create(pace.total, 0);
  return {
    log: (text: string) => {
      bars.log(text);
      bars.update();
    },
    show: (what: string) => {
      now = what;
      bar.update(pace.done);
    },
    stop: () => bars.stop(),
  };
}

/** 75 → "1:15" */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

type Named = (benchmark: string, target: string) => string;

/** Benchmark and target in columns as wide as the widest so far: all are verified before the first one runs. */
function columnsOf({ colours }: Look): Named {
  let [benchmarks, targets] = [0, 0];
  return (benchmark, target) => {
    [benchmarks, targets] = [Math.max(benchmarks, benchmark.length), Math.max(targets, target.length)];
    return `${colours.dim(benchmark.padEnd(benchmarks))}  ${target.padEnd(targets)}`;
  };
}

function verifiedLine(name: string, { laws }: Verification, { columns, colours }: Look): string {
  const broken = laws.flatMap(({ law, finding }) =>
    finding.verdict === "broken" ? wrapped(`${law}: ${finding.reason}`, columns, "  ") : [],
  );
  if (broken.length > 0) return [`${colours.red("refused ")} ${name}  is not measured:`, ...broken].join("\n");
  const held = laws.filter(({ finding }) => finding.verdict === "held").length;
  const untested = laws.length - held;
  return `${colours.green("verified")} ${name}  ${held} of ${laws.length} laws held${untested > 0 ? `, ${untested} cannot be tested here` : ""}`;
}

function runLine(name: string, run: Run, { done, total }: Pace, look: Look): string {
  const { colours } = look;
  const place = colours.dim(`[${String(done).padStart(String(total).length)}/${total}]`.padEnd("verified".length));
  const purpose = run.purpose === "measure" ? "" : colours.dim(`  ${run.purpose}`);
  return [`${place} ${name}  ${outcomeText(run, look)}${purpose}`, ...wrongLines(run, look)].join("\n");
}

function outcomeText(run: Run, { colours }: Look): string {
  const result = resultOf(run);
  if (!result)
    return colours.red(
      "failure" in run.outcome ? `${run.outcome.failure.code}: ${run.outcome.failure.message}` : "failed",
    );
  const p99 = result.latencyMs.p99 === null ? "" : `  P99 ${result.latencyMs.p99.toFixed(2).padStart(6)} ms`;
  const figure = run.tlsTps === undefined ? [grouped(result.rps), "rps"] : [grouped(run.tlsTps), "TLS TPS"];
  return `${(figure[0] as string).padStart(9)} ${figure[1]}${p99}`;
}

const wrongLines = ({ warnings }: Run, { columns, colours }: Look): readonly string[] =>
  warnings
    .filter(({ cap }) => cap === "invalid")
    .flatMap((seen) => wrapped(describeWarning(seen), columns, "  invalid: ").map((line) => colours.red(line)));
