import type * as pulumi from "@pulumi/pulumi";
import { Observatory, scrapeFaults, type Fault, type ObservatoryAccess, type Watchable } from "@gatebench/core";
import type { Ec2Topology } from "@gatebench/core/ec2";
import type { Part } from "@gatebench/matrix/stack";
import type { Settings } from "./settings";

/** What of the stack's outputs tells how to reach the observatory. */
export interface Reached {
  readonly observatory: Omit<ObservatoryAccess, "tunnel"> & { readonly tunnel: pulumi.Output<string> };
  /** Opens the machines, and is secret. */
  readonly privateKey: pulumi.Output<string>;
}

/** One for all benchmarks of the stack, on a machine of its own, where it is asked for. */
export function observing(
  site: Ec2Topology,
  { observe, scrapeInterval, remoteWrite, grafana }: Settings,
  watches: readonly Watchable[],
): { readonly observatory?: Observatory; readonly reached?: Reached } {
  if (!observe) return {};
  const observatory = new Observatory("observatory", {
    ...{ host: site.observer, watches: [...new Set(watches)], scrapeInterval, remoteWrite, grafana },
  });
  const { tunnel, ...access } = observatory.access(keyFile);
  const command = (tunnel as pulumi.Output<string>).apply((text) => `${keepKey} && ${text}`);
  return { observatory, reached: { observatory: { tunnel: command, ...access }, privateKey: site.privateKey } };
}

const keyFile = "gatebench.pem";
/** SSH takes no key that others may read. */
const keepKey = `(umask 077 && pulumi stack output privateKey --show-secrets > ${keyFile})`;

/** Loads of which an observatory would see too little. */
export const observatoryFaults = ({ observe, scrapeInterval }: Settings, parts: readonly Part[]): readonly Fault[] => [
  ...new Map(
    (observe ? parts : []).flatMap(({ load }) => scrapeFaults(scrapeInterval, load)).map((one) => [one.message, one]),
  ).values(),
];
