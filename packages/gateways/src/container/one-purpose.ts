import { defaultTls, fault, refuse, type ResolvedScenario } from "@gatebench/core/contract";

/** Refuses what one configuration for every scenario cannot do beside the default: `supports` has no word for it. */
export function onePurpose(name: string, scenario: ResolvedScenario): void {
  const { scheme, tls, upstream } = scenario;
  const asked = [
    ...(upstream.keepAlive ? [] : ["a connection to the upstream for each request"]),
    ...(scheme === "https" ? otherTls(tls) : []),
  ];
  refuse(asked.map((what) => fault("unsupported-policy", refusal(name, what, scenario.name))));
}

/** A table of as many routes as a scenario asks for is no longer the same for every scenario. */
export function oneRoute(name: string, routes: number): void {
  const message = `${name} has ${routes} paths, and its workloads are the same for every scenario. Give one path, or "workloads" as a function of the scenario.`;
  refuse(routes === 1 ? [] : [fault("invalid-option", message)]);
}

const fixedParts = ["cipher", "curve", "resumption"] as const;

const otherTls = (tls: ResolvedScenario["tls"]) =>
  fixedParts.flatMap((part) => (tls[part] === defaultTls[part] ? [] : [`the TLS ${part} ${tls[part]}`]));

const refusal = (name: string, what: string, scenario: string) =>
  `${name} cannot give ${what} in scenario "${scenario}": its workloads are the same for every scenario. Drop it, or give "workloads" as a function of the scenario.`;
