import type * as pulumi from "@pulumi/pulumi";
import {
  durationSchema,
  Observatory,
  scrapeFaults,
  type Fault,
  type ObservatoryAccess,
  type Topology,
  type Watchable,
} from "@gatebench/core";
import { type z } from "zod";
import type { Part } from "./parts";
import { writtenFlag } from "./stack-settings";

/** Keys of the observatory beside a stack's benchmarks. */
export const observatorySettings = {
  /** Prometheus, Grafana and node exporters beside the runs, on a host of their own, and figures by PromQL in results. */
  observe: writtenFlag.default(false),
  /** From one scrape to the next. */
  scrapeInterval: durationSchema.default("1s"),
  /** Whether the generator sends Prometheus its own series too. */
  remoteWrite: writtenFlag.default(false),
  /** Whether Grafana is there too, where there is an observatory. */
  grafana: writtenFlag.default(true),
};

type Asked = z.infer<z.ZodObject<typeof observatorySettings>>;

/** One for all benchmarks of the stack, where it is asked for. */
export function observatoryFor(
  site: Topology,
  { observe, scrapeInterval, remoteWrite, grafana }: Asked,
  watches: readonly Watchable[],
): Observatory | undefined {
  if (!observe) return undefined;
  const all = [...new Set(watches)];
  return new Observatory("observatory", {
    ...{ host: site.observer, watches: all, scrapeInterval, remoteWrite, grafana },
  });
}

/** How a person comes to it, as a stack's output. @param before  What the tunnel needs first, as a command; and a key file. */
export function reached(
  observatory: Observatory | undefined,
  { before = "", keyFile }: { readonly before?: string; readonly keyFile?: string } = {},
): { readonly observatory?: Reached } {
  if (!observatory) return {};
  const { tunnel, ...access } = observatory.access(keyFile);
  return { observatory: { tunnel: tunnel?.apply((text) => `${before}${text}`), ...access } };
}

type Reached = Omit<ObservatoryAccess, "tunnel"> & { readonly tunnel: pulumi.Output<string> | undefined };

/** Loads of which an observatory would see too little. */
export const observatoryFaults = ({ observe, scrapeInterval }: Asked, parts: readonly Part[]): readonly Fault[] => [
  ...new Map(
    (observe ? parts : []).flatMap(({ load }) => scrapeFaults(scrapeInterval, load)).map((one) => [one.message, one]),
  ).values(),
];
