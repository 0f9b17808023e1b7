import { resolveScenario } from "../contract";
import type { UpstreamApp } from "./upstream-app";

/** The program an upstream app starts on a host without containers. */
export function programOf(app: UpstreamApp): string {
  const ports = Object.fromEntries(app.ports.map((name, index) => [name, index + 1]));
  const behaviour = resolveScenario({ name: "drawing" }).upstream;
  const { programs, command } = app.workload({ index: 1, behaviour, ports, workers: 1 });
  return (programs ?? command)[0] as string;
}
