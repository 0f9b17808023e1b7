import { fault, type Fault, type Scenario } from "@gatebench/core";
import type { UpstreamApp } from "@gatebench/core/upstreams";
import type { MeasuredSettings } from "./measured-settings";
import type { StackPlan, StackTarget } from "./stack-plan";
import { servesTls } from "./upstream";

/** What is measured, and how many of the upstream's servers it stands before. */
export interface MeasuredTarget extends StackTarget {
  readonly servers: number;
}

/** The path without a gateway, where the upstream serves it; the gateway; where asked, the gateway in front of one server. */
export function targetsOf(
  asked: MeasuredSettings,
  { targets, scenario }: StackPlan,
  app: UpstreamApp,
): readonly MeasuredTarget[] {
  const all = targets.map((target) => ({ ...target, servers: isBaseline(target) ? 1 : countOf(scenario) }));
  const baseline = scenario.scheme === "https" && !servesTls(app) ? [] : all.filter(isBaseline);
  const gateway = all.filter((target) => !isBaseline(target));
  return [...baseline, ...gateway, ...(asked.againstSingle ? gateway.map(single) : [])];
}

const isBaseline = ({ adapter }: StackTarget): boolean => adapter.version === null;
const countOf = ({ upstream }: Scenario): number => upstream?.count ?? 1;

function single(target: StackTarget): MeasuredTarget {
  const { scenario } = target;
  return {
    ...{ name: "single", adapter: target.adapter, servers: 1 },
    scenario: { ...scenario, name: "single", balancing: undefined, upstream: { ...scenario.upstream, count: 1 } },
  };
}

export function targetFaults(
  { againstSingle }: MeasuredSettings,
  { scenario }: StackPlan,
  targets: readonly MeasuredTarget[],
): readonly Fault[] {
  return [
    ...(againstSingle && countOf(scenario) === 1
      ? [
          fault(
            "invalid-option",
            `config.againstSingle: scenario "${scenario.name}" has one upstream already. Give it several, or leave againstSingle out.`,
          ),
        ]
      : []),
    ...(targets.length > 0
      ? []
      : [
          fault(
            "unsupported-policy",
            "the upstream serves no TLS, and there is no gateway before it. Choose static-payload, or the scheme http.",
          ),
        ]),
  ];
}
