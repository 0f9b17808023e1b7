import { defaultTls, fault, type Fault, type ResolvedScenario } from "@gatebench/core/contract";

type Started = (scenario: ResolvedScenario) => unknown;

/** What `supports` has no word for, is asked for, and would change nothing of what is started: refused, never left out. */
export function unheeded(name: string, scenario: ResolvedScenario, started: Started): readonly Fault[] {
  return specialsOf(scenario)
    .filter(({ without }) => isSame(started, scenario, without))
    .map(({ what }) => fault("unsupported-policy", refusal(name, what, scenario.name)));
}

/** A table of so many routes is not that of one. */
export function unroutedPaths(name: string, scenario: ResolvedScenario, started: Started): readonly Fault[] {
  const { routes } = scenario;
  if (routes === 1 || !isSame(started, scenario, { ...scenario, routes: 1 })) return [];
  const message = `${name} has ${routes} paths, and its workloads are the same for one route. Give one path, or "workloads" as a function of the scenario that heeds "routes".`;
  return [fault("invalid-option", message)];
}

interface Special {
  readonly what: string;
  /** The scenario with the default in its place. */
  readonly without: ResolvedScenario;
}

function specialsOf(scenario: ResolvedScenario): readonly Special[] {
  const { scheme, tls, upstream } = scenario;
  const kept = { ...scenario, upstream: { ...upstream, keepAlive: true } };
  const parts = (["cipher", "curve", "resumption"] as const).filter((part) => tls[part] !== defaultTls[part]);
  return [
    ...(upstream.keepAlive ? [] : [{ what: "a connection to the upstream for each request", without: kept }]),
    ...(scheme === "https" ? parts : []).map((part) => ({
      what: `the TLS ${part} ${tls[part]}`,
      without: { ...scenario, tls: { ...tls, [part]: defaultTls[part] } },
    })),
  ];
}

const isSame = (started: Started, one: ResolvedScenario, other: ResolvedScenario) =>
  JSON.stringify(started(one)) === JSON.stringify(started(other));

const refusal = (name: string, what: string, scenario: string) =>
  `${name} cannot give ${what} in scenario "${scenario}": its workloads are the same without it. Drop it, or give "workloads" as a function of the scenario that heeds it.`;
