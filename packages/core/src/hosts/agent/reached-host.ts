import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fault, lineOf, type Fault } from "../../contract/fault";
import { onPath } from "../local/binaries";
import { refuseOrphan } from "./process";
import { notConnected, overSsh, sshPrograms, unusableKey, type SshAddress, type SshAnswer } from "./ssh-client";

/** A machine that is to be reached before anything is asked of it. */
export interface Reached {
  /** As results name it. */
  readonly label: string;
  readonly address: SshAddress;
  /** How often it is tried. */
  readonly dials: number;
}

/** As the command plug-in waits between its own. */
const waits = { firstMs: 100, growth: 1.5, longestMs: 5000 };

/**
 * Logs in once, as often as the command plug-in would try: its own words for a machine that lets nobody in name neither
 * machine nor user. Where this machine has no ssh, they are all there is.
 */
export async function reachHost(host: Reached): Promise<void> {
  if (!sshPrograms.every(onPath)) return;
  for (let dial = 1, waitMs = waits.firstMs; ; dial++, waitMs = Math.min(waitMs * waits.growth, waits.longestMs)) {
    refuseOrphan("nothing is reached for it");
    const answer = await overSsh(host.address, "true", text);
    if (answer.code !== notConnected && answer.code !== unusableKey) return;
    if (dial >= host.dials || answer.code === unusableKey) throw new Error(lineOf(whyNot(host, answer)));
    await sleep(waitMs);
  }
}

/** What ssh said, as what a person can do about it. */
export function whyNot(
  { label, address: { host, port, user } }: Pick<Reached, "label" | "address">,
  { code, stderr }: SshAnswer,
): Fault {
  const where = `${label} (${host}, port ${port})`;
  const said = lastLineOf(stderr);
  if (code === unusableKey)
    return fault(
      "ssh-refused",
      `the private key for ${user} of ${where} cannot be used: ${said}. Give one in PEM or OpenSSH's form and without a passphrase, and run up again.`,
    );
  const refused = refusals.find(({ sign }) => sign.test(stderr));
  if (refused)
    return fault("ssh-refused", `${where} ${refused.as(user)}: ${said}. ${refused.advice}, and run up again.`);
  return fault(
    "host-unreachable",
    `${where} cannot be reached for ${user}: ${said}. Check host, port, and what lies between (firewall, security group, VPN), and run up again.`,
  );
}

const refusals = [
  {
    sign: /Permission denied|Too many authentication failures/,
    as: (user: string) => `does not let ${user} in with the private key given`,
    advice: "Check user and private key, and that its public half stands in authorized_keys of that account",
  },
  {
    sign: /Host key verification failed/,
    as: () => "has another host key than the one given",
    advice: "Check that it is the machine you mean, and its hostKey",
  },
  {
    sign: /Connection refused/,
    as: (user: string) => `refuses connections, for ${user} as for anybody`,
    advice: "Check host and port, and that sshd runs there",
  },
];

const lastLineOf = (text: string): string =>
  (
    text
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? ""
  ).replace(/\.$/, "") || "nothing was said";
