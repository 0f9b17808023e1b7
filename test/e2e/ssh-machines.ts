import type { Values } from "@gatebench/core";
import { SshTopology, type SshMachine } from "@gatebench/core/ssh";
import { machinesIn, openTwin, type Machine, type Twin } from "./twin";

/** The three machines of a benchmark over SSH: the twin's (test/twin), with real sshd and real Docker each. */
export interface SshMachines {
  readonly twin: Twin;
  readonly machines: Readonly<Record<Role, Machine>>;
  /** What a topology takes, with something of the gateway's machine changed. */
  given(gateway?: Partial<SshMachine>): Readonly<Record<Role, SshMachine>>;
  site(credentials?: Values): SshTopology;
  /** As the machine's root, without SSH. */
  on(role: Role, command: string): Promise<string>;
  /** What is on the machines, by role; empty after a destroy. */
  left(): Promise<Partial<Record<Role, string>>>;
}

export const roles = ["upstream", "gateway", "generator"] as const;
export type Role = (typeof roles)[number];

export const sshImages = [
  "node:22.12.0-bookworm-slim",
  "nginx:1.30.4",
  "nicolaka/netshoot:v0.14",
  "gatebench/wrk:4.1.0",
  "gatebench/hey:0.1.4",
];

/** The caller destroys the twin. */
export async function openMachines(images: readonly string[] = sshImages): Promise<SshMachines> {
  const twin = openTwin();
  const key = `${twin.state}/key.pub`;
  const made = await twin.command("create", "--count", "3", "--key", key, "--images", images.join(" "));
  const all = machinesIn(made);
  const machines = Object.fromEntries(roles.map((role, index) => [role, all[index]])) as Record<Role, Machine>;
  const on: SshMachines["on"] = (role, command) => twin.command("run", machines[role].id, "sh", "-c", command);
  const reached = (role: Role): SshMachine => sshMachine(machines[role], twin);
  const given: SshMachines["given"] = (gateway) => ({
    ...{
      upstream: reached("upstream"),
      gateway: { ...reached("gateway"), ...gateway },
      generator: reached("generator"),
    },
  });
  return {
    ...{ twin, machines, on },
    given,
    site: (credentials) => new SshTopology("site", { ...given(), credentials }),
    left: async () => {
      const found = await Promise.all(roles.map(async (role) => [role, (await on(role, traces)).trim()] as const));
      return Object.fromEntries(found.filter(([, text]) => text !== ""));
    },
  };
}

const sshMachine = ({ publicIp, privateIp, user }: Machine, { privateKey }: Twin): SshMachine => ({
  ...{ host: publicIp, user, privateKey, address: privateIp, cpus: 2, dials: 8 },
});

/** Containers, folders, processes. A pattern with a bracket does not find itself. */
const traces = [
  "docker ps -a --format 'container {{.Names}} {{.Image}} {{.Status}}'",
  "find /var/lib/gatebench/places /tmp -mindepth 1 -name '*' -path '*gatebench*' 2> /dev/null",
  "for process in /proc/[0-9]*; do tr '\\0' ' ' < $process/cmdline; echo; done 2> /dev/null | grep -v ^dockerd | grep -E '[/]agent\\.js|[g]atebench-|[n]ginx|[w]rk |[d]ocker exec'",
  "true",
].join("; ");
