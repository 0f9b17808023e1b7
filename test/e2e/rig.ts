import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace, type EngineEvent, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";
import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  UpstreamHost,
  type Cell,
  type GatewayAdapter,
  type GeneratorAdapter,
  type Load,
  type Protocol,
  type Run,
  type Scenario,
  type Topology,
  type UpstreamBehaviour,
  type Values,
  type Verification,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { staticPayload, type UpstreamApp } from "@gatebench/core/upstreams";
import { direct } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";

/** One stack on the real engine, with a backend of its own that goes with the test. */
export interface Rig {
  readonly stack: Stack;
  /** The backend's folder, where the state lies as the engine writes it. */
  readonly backend: string;
  /** Everything the engine said, of all its commands so far. */
  readonly output: string[];
  readonly events: EngineEvent[];
  up(program: PulumiFn): Promise<void>;
  destroy(): Promise<void>;
}

let rigs = 0;

/** Opens a stack; the caller destroys it. @param env  What its programs and plug-ins find in their environment besides. */
export async function openRig(name: string, env: Readonly<Record<string, string>> = {}): Promise<Rig> {
  const backend = mkdtempSync(join(tmpdir(), "gatebench-backend-"));
  const projectName = `e2e-${name}-${process.pid}-${++rigs}`;
  const envVars = {
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...env,
  };
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "test", projectName, program: async () => undefined },
    { workDir: backend, envVars },
  );
  const output: string[] = [];
  const events: EngineEvent[] = [];
  const listen = {
    onOutput: (text: string) => void output.push(text),
    onEvent: (event: EngineEvent) => void events.push(event),
  };
  return {
    stack,
    backend,
    output,
    events,
    up: async (program) => void (await stack.up({ program, ...listen })),
    destroy: async () => {
      await stack.destroy(listen);
      rmSync(backend, { recursive: true, force: true });
    },
  };
}

/** What a small program is made of; everything has a default that is quick. */
export interface Bench {
  readonly name?: string;
  /** By target name, with the scenario each is given. */
  readonly targets?: Readonly<
    Record<string, { readonly adapter: GatewayAdapter; readonly scenario: Scenario; readonly workers?: number }>
  >;
  readonly generator?: GeneratorAdapter;
  readonly load?: Load;
  readonly protocol?: Protocol;
  /** Default `staticPayload()`. */
  readonly app?: UpstreamApp;
  readonly upstream?: UpstreamBehaviour;
  readonly tls?: boolean;
  readonly runId?: string;
  readonly results?: string;
  readonly credentials?: Values;
  /** Hosts for the generator's workers. */
  readonly workers?: number;
}

/** What became known while a program ran. */
export interface Seen {
  readonly runs: Run[];
  readonly verifications: Record<string, Verification>;
  cells: Readonly<Record<string, Cell>>;
  summary: string;
}

export const plain: Scenario = { name: "plain" };
export const shortLoad: Load = { model: "closed", connections: 8, duration: "1s" };
export const twoRuns = repeat({ runs: 2, warmUp: false, coolDown: "0s" });

/** A program with one benchmark, and what it let us see. */
export function benchProgram(
  bench: Bench,
  site: () => Topology = () => new LocalTopology("site", { credentials: bench.credentials, workers: bench.workers }),
): { readonly program: PulumiFn; readonly seen: Seen } {
  const seen: Seen = { runs: [], verifications: {}, cells: {}, summary: "" };
  const program = async () => observe(declare(bench, site()), seen);
  return { program, seen };
}

/** The resources of one bench on a site; several may stand on one. */
export function declare(bench: Bench, site: Topology): Benchmark {
  const {
    name = "bench",
    targets = { direct: { adapter: direct(), scenario: plain } },
    generator = wrk(),
    load = shortLoad,
    protocol = twoRuns,
  } = bench;
  const upstream = new UpstreamHost(`${name}-upstream`, {
    host: site.upstream,
    app: bench.app ?? staticPayload(),
    behaviour: bench.upstream,
    tls: bench.tls,
  });
  const underTest = Object.entries(targets).map(
    ([target, what]) =>
      [target, new GatewayUnderTest(`${name}-${target}`, { host: site.gateway, upstream, ...what })] as const,
  );
  return new Benchmark(name, {
    generator: new LoadGenerator(`${name}-${generator.name}`, {
      host: site.generator,
      adapter: generator,
      workers: site.workers,
    }),
    targets: Object.fromEntries(underTest),
    load,
    protocol,
    runId: bench.runId,
    results: bench.results,
  });
}

export function observe(benchmark: Benchmark, seen: Seen): void {
  for (const { run } of benchmark.runs) run.apply((known) => known && seen.runs.push(known));
  for (const [target, verification] of Object.entries(benchmark.verifications))
    verification.apply((known) => (seen.verifications[target] = known));
  benchmark.cells.apply((cells) => (seen.cells = cells));
  benchmark.summary.apply((text) => (seen.summary = text));
}

/** What stands in this test file's state folder besides the lock: nothing, after a destroy. */
export function leftBehind(): readonly string[] {
  const places = join(process.env.XDG_STATE_HOME as string, "gatebench", "places");
  return existsSync(places) ? readdirSync(places) : [];
}
