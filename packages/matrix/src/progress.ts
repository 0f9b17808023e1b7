import cliProgress from "cli-progress";
import pc from "picocolors";
import { describeWarning, resultOf, type Run, type Verification } from "@gatebench/core";

/** What a person sees while a bench goes on. Everything goes to standard error: standard output is for the tables. */
export interface Progress {
  note(text: string): void;
  /** The resource of a run or a verification begins. */
  begins(name: string): void;
  verified(benchmark: string, verification: Verification): void;
  ran(benchmark: string, run: Run): void;
  end(): void;
}

/** A line per run, and on a terminal a bar with what runs now and how long it will all take. */
export function openProgress(totalRuns: number, loadSeconds: number): Progress {
  const terminal = process.stderr.isTTY ? openBar(totalRuns, loadSeconds) : undefined;
  const say = (text: string) => (terminal ? terminal.log(`${text}\n`) : process.stderr.write(`${text}\n`));
  let done = 0;
  return {
    note: say,
    begins: (name) => terminal?.show(name, done),
    verified: (benchmark, verification) => say(verifiedLine(benchmark, verification)),
    ran: (benchmark, run) => {
      done += 1;
      say(runLine(benchmark, run, done, totalRuns));
      terminal?.show("", done);
    },
    end: () => terminal?.stop(),
  };
}

/** Four looks a second would be load of our own; one is enough for people. */
const barFps = 1;

function openBar(totalRuns: number, loadSeconds: number) {
  const format = `{bar} {value}/{total} runs, about {left} s left  {now}`;
  const bars = new cliProgress.MultiBar(
    { format, fps: barFps, stream: process.stderr, hideCursor: true, barsize: 24, clearOnComplete: true },
    cliProgress.Presets.rect,
  );
  const secondsPerRun = totalRuns === 0 ? 0 : loadSeconds / totalRuns;
  const left = (done: number) => Math.ceil((totalRuns - done) * secondsPerRun);
  const bar = bars.create(totalRuns, 0, { now: "", left: left(0) });
  return {
    log: (text: string) => {
      bars.log(text);
      bars.update();
    },
    show: (now: string, done: number) => bar.update(done, { now, left: left(done) }),
    stop: () => bars.stop(),
  };
}

function verifiedLine(benchmark: string, { target, laws }: Verification): string {
  const broken = laws.flatMap(({ law, finding }) =>
    finding.verdict === "broken" ? [`${law}: ${finding.reason}`] : [],
  );
  const held = laws.filter(({ finding }) => finding.verdict === "held").length;
  if (broken.length > 0) return `${pc.red("refused")}  ${benchmark}  ${target} is not measured: ${broken.join("; ")}`;
  return `${pc.green("verified")} ${benchmark}  ${target}: ${held} of ${laws.length} laws held${held < laws.length ? ", the rest cannot be tested here" : ""}`;
}

function runLine(benchmark: string, run: Run, done: number, total: number): string {
  const place = pc.dim(`[${String(done).padStart(String(total).length)}/${total}]`);
  return `${place} ${benchmark}  ${run.target}  ${outcomeText(run)}${run.purpose === "measure" ? "" : pc.dim(` (${run.purpose})`)}`;
}

function outcomeText(run: Run): string {
  const result = resultOf(run);
  if (!result)
    return pc.red("failure" in run.outcome ? `${run.outcome.failure.code}: ${run.outcome.failure.message}` : "failed");
  const p99 = result.latencyMs.p99 === null ? "" : `, P99 ${result.latencyMs.p99.toFixed(2)} ms`;
  const tls = run.tlsTps === undefined ? "" : `, ${Math.round(run.tlsTps).toLocaleString("en-US")} TLS TPS`;
  const wrong = run.warnings
    .filter(({ cap }) => cap === "invalid")
    .map((seen) => pc.red(`  invalid: ${describeWarning(seen)}`));
  return `${Math.round(result.rps).toLocaleString("en-US")} rps${p99}${tls}${wrong.join("")}`;
}
