import {
  isReference,
  manifestsOf,
  resultOf,
  type Cell,
  type ClusterDeployment,
  type Load,
  type ObservatoryNote,
  type Protocol,
  type Purpose,
  type Run,
  type Size,
  type Verification,
} from "../contract";
import type { Host } from "../hosts/host";
import { cellFigures, verdictOf } from "../measure";
import { bytesOf } from "../upstreams";
import type { GatewayUnderTest } from "./gateway-under-test";
import type { LoadGenerator } from "./load-generator";
import type { Upstreams } from "./upstream-host";

/** Everything a cell is made from. */
export interface CellFacts {
  readonly benchmark: string;
  readonly name: string;
  readonly target: GatewayUnderTest;
  readonly gatewayVersion: string | null;
  readonly generator: LoadGenerator;
  readonly load: Load;
  readonly protocol: Protocol;
  readonly purpose: Purpose;
  readonly history: readonly Run[];
  readonly verification: Verification;
  readonly observatory?: ObservatoryNote;
}

/** One point of a matrix: figures, verdict, and everything they come from. */
export function cellOf(facts: CellFacts, baseline: CellFacts | undefined): Cell {
  const { target, generator, load, protocol, history } = facts;
  const answer = protocol.answer(history);
  const isBaseline = baseline?.name === facts.name;
  const { host, adapter, scenario, scenarioAsked, workers, upstream } = target;
  return {
    id: idOf(facts),
    benchmark: facts.benchmark,
    gateway: adapter.name,
    gatewayVersion: facts.gatewayVersion,
    scenario: scenario.name,
    scenarioAsked,
    generator: generator.adapter.name,
    generatorVersion: toolVersion(answer) ?? generator.adapter.version,
    topology: host.site.topology,
    upstream: upstreamName(upstream),
    load,
    size: sizeOf(host, workers),
    purpose: facts.purpose,
    protocol: protocol.name,
    ...(facts.observatory ? { observatory: facts.observatory } : {}),
    ...cellFigures(answer),
    verdict: verdictOf({
      load,
      scenario,
      purpose: facts.purpose,
      history,
      answer,
      missed: protocol.missed?.(history),
      sharedRoles: sharedRoles(facts),
      verification: facts.verification,
      ...(isBaseline
        ? {}
        : {
            baseline: {
              name: baseline?.name ?? "direct",
              ...(baseline ? { figures: cellFigures(baseline.protocol.answer(baseline.history)) } : {}),
            },
          }),
    }),
    baseline: !baseline || isBaseline ? null : idOf(baseline),
    configuration: configurationOf(target),
    verification: facts.verification.laws.map(({ law, finding }) => ({ law, ...finding })),
    byHand: commandByHand(facts),
    runs: [...history],
  };
}

const sizeOf = ({ name, cpus, instanceType }: Host, workers: number): Size => ({
  ...{ name: `${name}-${cpus}`, cpus, workers },
  ...(instanceType === undefined ? {} : { instanceType }),
});

/** With how many bytes it answers, or, where that is not fixed, what it is asked. */
function upstreamName({ app, answer: { path, body } }: Upstreams): string {
  const bytes = body && bytesOf(body);
  return [app.name, ...(bytes === undefined ? path.split("/").filter(Boolean) : [bytes])].join("-");
}

const toolVersion = ([first]: readonly Run[]): string | undefined => first && resultOf(first)?.tool.version;

const idOf = ({ benchmark, name }: CellFacts): string => `${benchmark}/${name}`;

/** Roles that stand on one host, and so take CPU from each other. */
function sharedRoles({ target, generator }: CellFacts): readonly string[] {
  const hosts = { upstream: target.upstream.hosts, gateway: [target.host], generator: [generator.host] };
  const shared = Object.entries(hosts).filter(([role, all]) =>
    Object.entries(hosts).some(([other, its]) => other !== role && its.some((host) => all.includes(host))),
  );
  return shared.map(([role]) => role).filter((role) => role !== "gateway" || !target.isBaseline);
}

function configurationOf({ deployment }: GatewayUnderTest): Record<string, string> {
  if (deployment.kind === "cluster") return configurationOfCluster(deployment);
  return Object.fromEntries(
    deployment.workloads.flatMap(({ name, command, files }) => [
      [`${name}: command`, command.join(" ")],
      ...Object.entries(files ?? {})
        .filter(([, text]) => !isReference(text))
        .map(([path, text]) => [`${name}: ${path}`, text] as const),
    ]),
  );
}

function configurationOfCluster(deployment: ClusterDeployment): Record<string, string> {
  const charts = deployment.charts.map(({ name, values }) => [`${name}: values`, text(values)] as const);
  const manifests = manifestsOf(deployment).map((manifest) => {
    const { kind, metadata } = manifest as { kind: string; metadata: { name: string } };
    return [`${kind} ${metadata.name}`, text(manifest)] as const;
  });
  return Object.fromEntries([...charts, ...manifests]);
}

const text = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** The tool's own command, as a shell takes it. References stay where secrets stood. */
function commandByHand({ generator, load, target }: CellFacts): string {
  const { job, byHand = job.command } = generator.plan(load, target.aim);
  return byHand.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
