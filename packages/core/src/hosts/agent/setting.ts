/** How whoever started this agent wants it to work; its services inherit it. */
export interface Setting {
  /** Names this machine in results. */
  readonly host: string;
  /** Workloads and tools are containers of this machine's Docker, not processes of ours. */
  readonly containers: boolean;
  /** What workloads listen on. */
  readonly bind: string;
}

export const loopback = "127.0.0.1";
const everyAddress = "0.0.0.0";

/** The names of the variables it is given by. */
export const settingNames = { host: "GATEBENCH_HOST", containers: "GATEBENCH_CONTAINERS" } as const;

const containers = process.env[settingNames.containers] === "true";

export const setting: Setting = {
  host: process.env[settingNames.host] ?? "local",
  containers,
  bind: containers ? everyAddress : loopback,
};
