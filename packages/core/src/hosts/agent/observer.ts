import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { HostSample } from "../../measure";
import { sample, workloadsOf } from "./sample";

/** A line a second; the edges of a run are read at the moment they are asked for. */
const everyMs = 1000;
/** Two hours: longer than any run. */
const kept = 7200;

/** What a host answers when another asks how it does. */
export interface Observed {
  /** At the moment of the answer. */
  readonly now: HostSample;
  /** Those since the time asked for, by this host's clock. */
  readonly since: readonly HostSample[];
}

/**
 * Tells other hosts of the topology what this one does: the CPU, memory and network of the whole of it, and of each of
 * the place's workloads. A run is carried out by the generator's host, and gateway and upstream stand elsewhere.
 */
export async function runObserver(place: string, listen: string): Promise<void> {
  const { host, port } = JSON.parse(listen) as { host: string; port: number };
  const look = () => sample(workloadsOf(place), [process.pid]);
  const lines: HostSample[] = [];
  setInterval(() => {
    lines.push(look());
    if (lines.length > kept) lines.shift();
  }, everyMs);
  const server = createServer(({ url = "/" }, response) => {
    const since = Number(new URL(url, "http://observer").searchParams.get("since") ?? Infinity);
    const answer: Observed = { now: look(), since: lines.filter(({ atMs }) => atMs > since) };
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  process.stdout.write(`listens on port ${(server.address() as AddressInfo).port}\n`);
}
