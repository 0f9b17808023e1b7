import { interpolate, jsonStringify, output, secret, type Input, type Output } from "@pulumi/pulumi";
import type { SshAddress } from "../agent/ssh-client";
import type { Forward } from "../host";

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
const defaultDials = 20;

/** How our own agent on this machine reaches it; secret. */
export function addressOf({ host, port = 22, user, privateKey, hostKey }: SshConnection): Output<SshAddress> {
  return secret(output({ host, port, user, privateKey, ...(hostKey === undefined ? {} : { hostKey }) }));
}

/** What our own agent needs to log in once. */
export const dialOrder = (label: string, connection: SshConnection): Output<string> =>
  jsonStringify({ label, dials: connection.dials ?? defaultDials, address: addressOf(connection) });

/** The same for the command plug-in. */
export const dialled = ({ host, port = 22, user, privateKey, hostKey, dials = defaultDials }: SshConnection) => ({
  ...{ host, port, user, privateKey },
  ...(hostKey === undefined ? {} : { hostKey }),
  dialErrorLimit: dials,
  perDialTimeout: secondsPerDial,
});

/** Ports of the machine on one's own loopback, and nothing else; the address is that by which its neighbours know it. */
export function tunnelText(
  { host, port = 22, user }: SshConnection,
  address: string,
  forwards: readonly Forward[],
  keyFile?: string,
): Output<string> {
  const options = [
    ...(keyFile === undefined ? [] : ["-i", keyFile]),
    ...(port === 22 ? [] : ["-p", `${port}`]),
    ...forwards.flatMap(({ from, to }) => ["-L", `${to}:${address}:${from}`]),
  ];
  return interpolate`ssh -N ${options.join(" ")} ${user}@${host}`;
}
