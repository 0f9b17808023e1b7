/** One set-up at a time: two that install the same thing into the same place at once would spoil it. */
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./messages.mjs";

const POLL_MS = 200;

/** @template T @param {string} file @param {() => Promise<T>} work @returns {Promise<T>} */
export async function locked(file, work) {
  await acquire(file);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function acquire(file) {
  await mkdir(dirname(file), { recursive: true });
  let said = false;
  while (!(await created(file))) {
    const holder = Number(await readFile(file, "utf8").catch(() => "0"));
    if (holder > 0 && !isAlive(holder)) {
      await rm(file, { force: true });
    } else if (!said) {
      say(`waiting for another set-up (process ${holder}) to end …`);
      said = true;
    }
    await sleep(POLL_MS);
  }
}

/** A link appears whole or not at all, so the file never exists without its holder's number in it. */
async function created(file) {
  const mine = `${file}.${process.pid}`;
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
