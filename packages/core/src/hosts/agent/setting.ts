/** How whoever started this agent wants it to work; its services inherit it. */
export interface Setting {
  /** Names this machine in results. */
  readonly host: string;
  /** What programs are here: processes of ours, containers of this machine's Docker, or pods of this node's cluster. */
  readonly programs: "processes" | "containers" | "pods";
  /** They have file systems of their own, and users. */
  readonly isolated: boolean;
  /** What workloads listen on. */
  readonly bind: string;
}

export const loopback = "127.0.0.1";
const everyAddress = "0.0.0.0";

/** The names of the variables it is given by. */
export const settingNames = {
  host: "GATEBENCH_HOST",
  programs: "GATEBENCH_PROGRAMS",
  // In a cluster: the agent's own node, and its own name.
  node: "GATEBENCH_NODE",
  agent: "GATEBENCH_AGENT",
} as const;

const programs = (process.env[settingNames.programs] ?? "processes") as Setting["programs"];
const isolated = programs !== "processes";

export const setting: Setting = {
  host: process.env[settingNames.host] ?? "local",
  programs,
  isolated,
  bind: isolated ? everyAddress : loopback,
};
