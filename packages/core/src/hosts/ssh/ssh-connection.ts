import type { Input } from "@pulumi/pulumi";

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
}

/** Five seconds each after the first ten: a machine has six minutes to come up. */
const dials = 80;
const secondsPerDial = 15;

/** The same for the command plug-in. */
export const dialled = ({ host, port = 22, user, privateKey, hostKey }: SshConnection) => ({
  ...{ host, port, user, privateKey },
  ...(hostKey === undefined ? {} : { hostKey }),
  dialErrorLimit: dials,
  perDialTimeout: secondsPerDial,
});
