/** What can go wrong between a machine and whoever is logged in to it, for tests to bring about. */
import { onMachine, raise } from "./machine.mjs";

/** @typedef {import("./machine.mjs").Machine} Machine */

/** Ends every connection at once, as when sshd is restarted by an update and does not come back. @param {Machine} machine */
export const killSsh = (machine) => onMachine(machine, "sh", "-c", UNTIL_GONE);
/** A session may begin or end in between. */
const UNTIL_GONE = "while pids=$(pidof sshd); do kill -KILL $pids 2> /dev/null; done; true";

/** Starts sshd again. @param {Machine} machine */
export const startSsh = (machine) => onMachine(machine, "/usr/sbin/sshd", "-E", "/var/log/sshd.log");

/** Nobody answers on port 22 any more, and nobody says so: packets are lost, other traffic is not. @param {Machine} machine */
export const silenceSsh = (machine) => silence(machine, "-I");

/** @param {Machine} machine */
export const answerSsh = (machine) => silence(machine, "-D");

async function silence(machine, change) {
  await onMachine(machine, "iptables", "-w", change, "INPUT", "-p", "tcp", "--dport", "22", "-j", "DROP");
  await onMachine(machine, "iptables", "-w", change, "OUTPUT", "-p", "tcp", "--sport", "22", "-j", "DROP");
}

/** Pulls the machine's cable: every packet of every connection is lost. @param {Machine} machine */
export const unplug = (machine) => onMachine(machine, "ip", "link", "set", "eth0", "down");

/** @param {Machine} machine */
export const plugIn = raise;
