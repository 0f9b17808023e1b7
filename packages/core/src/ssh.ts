export { SshHost, type SshHostArgs } from "./hosts/ssh/ssh-host";
export type { SshConnection } from "./hosts/ssh/ssh-connection";
export { sshPrograms } from "./hosts/agent/ssh-client";
export * from "./topologies/ssh-topology";
