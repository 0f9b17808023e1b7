import { argvOf, processes } from "./processes";

/** Whether a process is a sampler of ours: gatebench's agent at this place. */
const isSampler = (argv: readonly string[], place: string): boolean => argv[2] === "sampler" && argv[3] === place;

/**
 * Does something while the samplers of a place stand still: a person who runs a command by hand has none. They are
 * stopped, not ended, because their sessions go on afterwards.
 */
export async function withoutSamplers(place: string, action: () => Promise<void>): Promise<void> {
  const pids = processes().flatMap(({ pid }) => (isSampler(argvOf(pid), place) ? [pid] : []));
  const tell = (signal: NodeJS.Signals) => pids.forEach((pid) => process.kill(pid, signal));
  tell("SIGSTOP");
  try {
    await action();
  } finally {
    tell("SIGCONT");
  }
}
