import type { ContainerDeployment, GatewayAdapter, GatewaySite, ResolvedScenario, Workload } from "@gatebench/core";

/** A gateway whose rendering is changed afterwards: how broken ones are made of good ones. */
export function altered(
  adapter: GatewayAdapter,
  change: (deployment: ContainerDeployment) => ContainerDeployment,
): GatewayAdapter {
  return { ...adapter, render: (scenario, site) => change(containersOf(adapter, scenario, site)) };
}

/** Every workload changed. */
export const alteredWorkload = (adapter: GatewayAdapter, change: (workload: Workload) => Workload): GatewayAdapter =>
  altered(adapter, (deployment) => ({ ...deployment, workloads: deployment.workloads.map(change) }));

/** Configured with other words; all of them must have stood there. */
export function edited(adapter: GatewayAdapter, ...edits: readonly (readonly [from: string, to: string])[]) {
  return alteredWorkload(adapter, (workload) => ({
    ...workload,
    files: Object.fromEntries(
      Object.entries(workload.files ?? {}).map(([path, text]) => [path, editedText(path, text)]),
    ),
  }));
  function editedText(path: string, text: string): string {
    return /\.(conf|yaml)$/.test(path) ? edits.reduce(replaced, text) : text;
  }
}

function replaced(text: string, [from, to]: readonly [string, string]): string {
  if (!text.includes(from)) throw new Error(`"${from}" does not stand in the configuration`);
  return text.replaceAll(from, to);
}

/** Configured for another scenario, or another site, than the one it is asked for and probed with. */
export function misread(
  adapter: GatewayAdapter,
  scenarioRead: (asked: ResolvedScenario) => ResolvedScenario,
  siteRead: (asked: GatewaySite) => GatewaySite = (asked) => asked,
): GatewayAdapter {
  return {
    ...adapter,
    render: (scenario, site) => ({
      ...containersOf(adapter, scenario, site),
      workloads: containersOf(adapter, scenarioRead(scenario), siteRead(site)).workloads,
    }),
  };
}

function containersOf(adapter: GatewayAdapter, scenario: ResolvedScenario, site: GatewaySite): ContainerDeployment {
  const deployment = adapter.render(scenario, site);
  if (deployment.kind !== "containers") throw new Error(`${adapter.name} is no set of containers`);
  return deployment;
}
