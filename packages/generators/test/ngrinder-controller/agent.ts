/** For tests only: an agent of serve.ts. It does not run the script; it sends what the script says, and leaves the same log. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sendLoad } from "./send-load";
import type { Heard, Task } from "./serve";

const argument = (name: string) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) as string;
const controller = `http://${argument("controller-host")}:${argument("controller-port")}/`;
const name = `agent-${randomUUID()}`;

async function report(said: Omit<Heard, "name">): Promise<Task | undefined> {
  const answer = await fetch(controller, { method: "POST", body: JSON.stringify({ name, ...said }) });
  return ((await answer.json()) as { readonly task?: Task }).task;
}

async function work(): Promise<void> {
  for (;;) {
    const task = await report({ isFree: true }).catch(() => undefined);
    if (task) await report({ isFree: false, outcome: await sendLoad(task, name) });
    await sleep(100);
  }
}

// While it sends it is still there.
setInterval(() => void report({ isFree: false }).catch(() => undefined), 500);
void work();
