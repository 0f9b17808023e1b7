import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fault, FaultError } from "@gatebench/core";
import { identify, isAlive, type ProcessId } from "@gatebench/core/local";

const folder = () => join(process.cwd(), ".gatebench");
const file = () => join(folder(), "running.json");

/** Holds this checkout for one gatebench command; another one is told whose it is. Returns what lets it go. */
export function holdCheckout(): () => void {
  mkdirSync(folder(), { recursive: true });
  for (let tries = 0; tries < 2; tries++) {
    if (claim()) return release;
    const owner = readOwner();
    if (owner && isAlive(owner)) throw new FaultError([runningFault(owner)]);
    takeAwayDead();
  }
  throw new FaultError([
    fault(
      "already-running",
      `another gatebench command began in this checkout at the same moment. Wait for it to end.`,
    ),
  ]);
}

const runningFault = ({ pid }: ProcessId) =>
  fault(
    "already-running",
    `another gatebench command (pid ${pid}) runs in this checkout; two would measure each other. Wait for it, or end it with "kill -INT ${pid}".`,
  );

/** The file appears with its owner in it, or is somebody else's. */
function claim(): boolean {
  const ours = `${file()}.${process.pid}`;
  writeFileSync(ours, JSON.stringify(identify(process.pid)));
  try {
    linkSync(ours, file());
    return true;
  } catch {
    return false;
  } finally {
    rmSync(ours);
  }
}

/** Two commands may find the same dead owner: what is taken away is looked at again, and put back where it lives. */
function takeAwayDead(): void {
  const away = `${file()}.${process.pid}.dead`;
  try {
    renameSync(file(), away);
    const owner = readOwner(away);
    if (owner && isAlive(owner)) linkSync(away, file());
  } catch {
    // Somebody else took it away.
  } finally {
    rmSync(away, { force: true });
  }
}

function readOwner(path = file()): ProcessId | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as ProcessId;
  } catch {
    return undefined;
  }
}

const release = (): void => rmSync(file(), { force: true });
