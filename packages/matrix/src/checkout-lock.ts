import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
    rmSync(file(), { force: true });
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

function claim(): boolean {
  try {
    writeFileSync(file(), JSON.stringify(identify(process.pid)), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

function readOwner(): ProcessId | undefined {
  try {
    return JSON.parse(readFileSync(file(), "utf8")) as ProcessId;
  } catch {
    return undefined;
  }
}

const release = (): void => rmSync(file(), { force: true });
