import { readdirSync, readlinkSync } from "node:fs";
import { allProcesses, readText, type ProcessStat } from "./process";

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
