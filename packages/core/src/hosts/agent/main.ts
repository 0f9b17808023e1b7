import { text } from "node:stream/consumers";
import type { Values } from "../../contract";
import type { JobOrder } from "../job-record";
import { adoptWorkload, type AdoptOrder } from "./adopted-workload";
import { askCluster, endInCluster, openInCluster } from "./cluster-client";
import { collectArtifacts, sendArtifacts, type Collection } from "./collected-artifacts";
import { forgetJob, runJob } from "./job";
import { makeMaterial } from "./material";
import { runObserver } from "./observer";
import { closePlace, keepPlace, openPlace } from "./place";
import { refuseOrphan } from "./process";
import { reachHost, type Reached } from "./reached-host";
import { runSampler } from "./sampler";
import { closeSession, keepSession, keepValues, openSession } from "./session";
import { makeSshKey } from "./ssh-key-material";
import { awaitTurn } from "./turn";
import { setting } from "./setting";
import { supervise } from "./supervisor";
import { setUp, startWorkload, stopWorkload, type SetupOrder, type WorkloadOrder } from "./workload";

/**
 * What the engine's commands run on this machine. The verb is an argument, and over SSH what it is about; everything
 * else, secrets above all, comes by standard input, so that a command's text says nothing.
 */
const agent = __filename;

interface Named {
  readonly place: string;
  readonly name: string;
}

interface Opened extends Named {
  /** Where other hosts ask what this one does. Default: nowhere. */
  readonly observer?: { readonly host: string; readonly port: number };
}

interface Sampled extends Named {
  /** Whose workloads the session's sampler reads. Default: this place's. */
  readonly places?: readonly string[];
}

const verbs: Readonly<Record<string, (input: never) => Promise<unknown> | unknown>> = {
  "open-place": ({ place, observer }: Opened) => openPlace(place, observer && { ...observer, agent }),
  "keep-place": ({ place, observer }: Opened) => keepPlace(place, observer && { ...observer, agent }),
  "close-place": ({ place }: Named) => closePlace(place),
  "make-material": () => makeMaterial(),
  "make-ssh-key": () => makeSshKey(),
  "reach-host": (host: Reached) => reachHost(host),
  "collect-artifacts": (collection: Collection) => collectArtifacts(collection),
  "start-workload": (order: WorkloadOrder) => startWorkload(order),
  "stop-workload": ({ place, name }: Named) => stopWorkload(place, name),
  "adopt-workload": (order: AdoptOrder) => adoptWorkload(order),
  "set-up": ({ requests, values }: { requests: SetupOrder[]; values: Values }) => setUp(requests, values),
  "open-session": ({ place, name, places = [place] }: Sampled) => openSession(place, name, places, agent),
  "keep-session": ({ place, name, places = [place] }: Sampled) => keepSession(place, name, places, agent),
  "close-session": ({ place, name }: Named) => closeSession(place, name),
  "keep-values": ({
    place,
    session,
    vault,
    values,
  }: {
    place: string;
    session: string;
    vault: string;
    values: Values;
  }) => keepValues(place, session, vault, values),
  "run-job": ({ place, order }: { place: string; order: JobOrder }) => runJob(place, order, agent),
  "forget-job": ({ place, order }: { place: string; order: JobOrder }) => forgetJob(place, order.session, order.id),
};

/** With plain arguments: started detached by other verbs, or asked while standard input is taken. */
const services: Readonly<Record<string, (...args: [string, string]) => Promise<void>>> = {
  "ask-cluster": askCluster,
  "end-in-cluster": endInCluster,
  "open-in-cluster": openInCluster,
  sampler: runSampler,
  observer: runObserver,
  "send-artifacts": sendArtifacts,
  supervise,
};

async function main([name = "", ...args]: readonly string[]): Promise<void> {
  const service = services[name];
  if (service) return service(...(args as [string, string]));
  const verb = verbs[name];
  if (!verb) throw new Error(`invalid-option: unknown verb "${name}"; known: ${Object.keys(verbs).join(", ")}`);
  const given = await text(process.stdin);
  refuseOrphan("nothing is done for it");
  if (args[0] !== undefined) awaitTurn(args[0]);
  const answer = await verb(orderIn(given));
  if (answer !== undefined) process.stdout.write(typeof answer === "string" ? answer : JSON.stringify(answer));
}

/** A connection that is cut gives the beginning of an order. Node's own error would repeat a part of it. */
function orderIn(given: string): never {
  try {
    return JSON.parse(given || "{}") as never;
  } catch {
    throw new Error("interrupted: what is to be done did not arrive whole. Run up again.");
  }
}

/** A full disk shows wherever something is written, here or by Docker. */
function explained({ message }: Error): string {
  if (!/ENOSPC|no space left on device/i.test(message)) return message;
  const line = message.replace(/\s+/g, " ").trim();
  return `host-unready: the disk of ${setting.host} is full: ${line}. Free some space on it, and run up again.`;
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${explained(error)}\n`);
  process.exitCode = 1;
});
