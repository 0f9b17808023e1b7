import { randomBytes } from "node:crypto";
import { spawnSync } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verbsLock } from "./paths";
import { readText } from "./process";

/**
 * Waits until no other verb is at work, and stays the only one until we end. Where the same was asked again meanwhile, the
 * connection of who asked first was cut, and nobody wants that one any more: it ends without having done anything.
 */
export function awaitTurn(owner: string): void {
  const [ticket, ours] = [join(tmpdir(), `${owner}.turn`), randomBytes(8).toString("hex")];
  writeFileSync(ticket, ours);
  const lock = openSync(verbsLock(), "a");
  // flock(1) locks the file as we have it open: it stays locked when flock has ended.
  const { error } = spawnSync("flock", ["3"], { stdio: ["ignore", "ignore", "inherit", lock] });
  if (error) throw error;
  if (readText(ticket) !== ours) throw new Error(`interrupted: ${owner} was asked for again; nothing is done twice.`);
}
