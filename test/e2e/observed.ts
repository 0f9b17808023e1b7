import { request } from "node:http";
import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  Observatory,
  UpstreamHost,
  type ContainerDeployment,
  type GatewayAdapter,
  type GeneratorAdapter,
  type Load,
  type ObservatoryArgs,
  type QueriedFigure,
  type Run,
  type RunFigure,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { observe, plain, type Seen } from "./rig";

/** A benchmark with an observatory beside it. */
export interface Observed {
  readonly targets: Readonly<Record<string, GatewayAdapter>>;
  readonly generator: GeneratorAdapter;
  readonly load: Load;
  readonly runs: number;
  readonly args?: Partial<ObservatoryArgs>;
  /** Told of each run as it becomes known. */
  readonly ran?: (run: Run) => void;
}

export interface ObservedSeen extends Seen {
  observatory?: Observatory;
  url?: string;
}

export function observedProgram({ targets, generator, load, runs, args, ran }: Observed) {
  const seen: ObservedSeen = { runs: [], verifications: {}, cells: {}, summary: "" };
  const program = async () => {
    const site = new LocalTopology("site");
    const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
    const under = Object.fromEntries(
      Object.entries(targets).map(([name, adapter]) => [
        name,
        new GatewayUnderTest(name, { host: site.gateway, upstream, adapter, scenario: plain }),
      ]),
    );
    const loads = new LoadGenerator("load", { host: site.generator, adapter: generator });
    const watches = [upstream, ...Object.values(under), loads];
    const observatory = new Observatory("observatory", { host: site.observer, watches, ...args });
    const protocol = repeat({ runs, warmUp: false, coolDown: "0s" });
    const bench = new Benchmark("bench", { generator: loads, targets: under, load, protocol, observatory });
    observe(bench, seen);
    seen.observatory = observatory;
    observatory.url.apply((url) => (seen.url = url));
    for (const { run } of bench.runs) run.apply((known) => known && ran?.(known));
  };
  return { program, seen };
}

/** The gateway, said to have these metrics on a port on which nothing listens. */
export function exposing(adapter: GatewayAdapter, figures: readonly QueriedFigure[]): GatewayAdapter {
  return {
    ...adapter,
    ports: [...adapter.ports, "metrics"],
    render: (scenario, site) => {
      const made = adapter.render(scenario, site) as ContainerDeployment;
      return { ...made, metrics: [{ port: site.ports.metrics as number, path: "/metrics", figures }] };
    },
  };
}

/** A figure of a run: its value, or why there is none. */
export function figureIn(run: Run | undefined, name: string): number | string {
  const figure = run?.figures?.find((one: RunFigure) => one.name === name);
  if (figure === undefined) throw new Error(`no figure ${name} in run ${run?.id ?? "(none)"}`);
  return "missing" in figure ? figure.missing : figure.value;
}

/** What Prometheus answers to a query, now: its series. */
export function asked(url: string, query: string): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const path = `${url}/api/v1/query?${new URLSearchParams({ query }).toString()}`;
    const sent = request(path, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        const { data, error } = JSON.parse(text) as { data?: { result: readonly unknown[] }; error?: string };
        if (data) resolve(data.result);
        else reject(new Error(error));
      });
    });
    sent.on("error", reject).end();
  });
}
