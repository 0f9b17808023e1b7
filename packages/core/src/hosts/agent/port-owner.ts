import { readdirSync, readlinkSync } from "node:fs";
import type { Workload } from "../../contract";
import { allProcesses, readText, type ProcessStat } from "./process";
import { setting } from "./setting";

const listening = "0A"; // TCP_LISTEN in /proc/net/tcp

interface Listener {
  readonly port: number;
  readonly inode: string;
}

/** Every TCP port something listens on, with the socket's inode. */
export function listeners(): readonly Listener[] {
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) =>
    (readText(path) ?? "")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === listening)
      .map((fields) => ({
        port: parseInt((fields[1] as string).split(":").pop() as string, 16),
        inode: fields[9] as string,
      })),
  );
}

/** Who listens on a port; undefined where it cannot be seen (another user's process). */
export function ownerOf({ inode }: Listener): ProcessStat | undefined {
  return allProcesses().find(({ pid }) => socketsOf(pid).includes(`socket:[${inode}]`));
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`) ?? []);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Before anything is started that would only say so in words of its own. */
export function refuseTakenPorts({ name, ports }: Pick<Workload, "name" | "ports">): void {
  const wanted = Object.values(ports);
  const taken = listeners().find(({ port }) => wanted.includes(port));
  if (taken) throw new Error(`port-in-use: port ${taken.port}, wanted by ${name}, is used by ${usedBy(taken)}.`);
}

/** By whom, and what to do. From a container other programs' sockets cannot be told apart. */
function usedBy(taken: Listener): string {
  if (setting.isolated)
    return `another program of ${setting.host}. sudo ss -ltnp on it says which; stop that, and run up again`;
  const owner = ownerOf(taken);
  const whose = owner ? `${owner.name} (pid ${owner.pid})` : "a process of another user";
  return `${whose}. Stop it, or give the topology another portBase`;
}
