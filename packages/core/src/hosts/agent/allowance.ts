import { spawnSync } from "node:child_process";
import { readText } from "./process";
import { setting } from "./setting";

/** Where a remote machine's own files are in the agent's container. */
const machineRoot = "/host";

/**
 * How much traffic the machine's network card held back because its size allows no more, by the card's own names:
 * bw_in_allowance_exceeded and its like, of EC2's ENA. undefined where the card does not tell.
 */
export function allowance(): Readonly<Record<string, number>> | undefined {
  const card = setting.isolated ? cardOfRoute(readText("/proc/net/route") ?? "") : undefined;
  if (card === undefined || silent.has(card)) return undefined;
  const { stdout, status } = spawnSync("chroot", [machineRoot, "ethtool", "-S", card], { encoding: "utf8" });
  const counted = status === 0 ? allowanceIn(stdout) : {};
  if (Object.keys(counted).length > 0) return counted;
  silent.add(card);
  return undefined;
}

/** Cards that were asked once, and not again. */
const silent = new Set<string>();

/** The card of the default route: the first line whose destination is 0; see proc_net(5). */
export function cardOfRoute(table: string): string | undefined {
  const routes = table.split("\n").map((line) => line.split("\t"));
  return routes.find(([, destination]) => destination === "00000000")?.[0];
}

/** "     pps_allowance_exceeded: 12" */
export function allowanceIn(statistics: string): Readonly<Record<string, number>> {
  const lines = [...statistics.matchAll(/^\s*(\w+_allowance_exceeded): (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, name, count]) => [name, Number(count)]));
}
