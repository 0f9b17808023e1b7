export { SshHost, type SshHostArgs } from "./hosts/ssh/ssh-host";
export type { SshConnection } from "./hosts/ssh/ssh-connection";
export * from "./topologies/ssh-topology";
