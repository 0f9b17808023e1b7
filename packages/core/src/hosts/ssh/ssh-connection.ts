import { jsonStringify, secret, type Input, type Output } from "@pulumi/pulumi";

/** How a machine is reached. */
export interface SshConnection {
  /** Its public name or address, as this machine reaches it. */
  readonly host: Input<string>;
  /** @default 22 */
  readonly port?: number;
  /** May use Docker, by its group or by sudo without a password. */
  readonly user: string;
  /** PEM. Kept secret. */
  readonly privateKey: Input<string>;
  /** "ssh-ed25519 AAAA…". Default: whatever key the machine shows is believed. */
  readonly hostKey?: Input<string>;
  /**
   * How often it is tried before the machine counts as unreachable: the first ten times take ten seconds, each later
   * one five. More for a machine that has yet to come up.
   * @default 20
   */
  readonly dials?: number;
}

const secondsPerDial = 15;

/** What our own agent on this machine needs to log in; secret. */
export function dialOrder(label: string, { dials = 20, port = 22, ...rest }: SshConnection): Output<string> {
  return secret(jsonStringify({ label, dials, address: { ...rest, port } }));
}

/** The same for the command plug-in. */
export const dialled = ({ host, port = 22, user, privateKey, hostKey, dials = 20 }: SshConnection) => ({
  ...{ host, port, user, privateKey },
  ...(hostKey === undefined ? {} : { hostKey }),
  dialErrorLimit: dials,
  perDialTimeout: secondsPerDial,
});
