/** Node, for our agent; it has flock and prlimit too. */
export const agentImage = "node:22.12.0-bookworm-slim";

/** Where everything of gatebench lies on the machine, and under the same path in the agent's container. */
const stateFolder = "/var/lib";

/** By its group, or by sudo without a password. */
const dockerWord = 'd=docker; [ -w /var/run/docker.sock ] || d="sudo -n docker"';

/** One machine's agent: a container that sees the machine's processes, network and Docker. */
export interface RemoteAgent {
  /** Names the machine's part of a topology. */
  readonly place: string;
  /** Names the machine in results. */
  readonly host: string;
}

const containerOf = ({ place }: RemoteAgent): string => `gatebench-${place.replaceAll(/[^A-Za-z0-9_.-]/g, "-")}`;

/** Whoever asks again after a cut connection may find the first still at work. */
const oneAtATime = (agent: RemoteAgent): string => `exec 9> /tmp/${containerOf(agent)}.lock; flock 9`;

/**
 * Starts the agent's container, gives it the agent and asks it to open the place. Standard input holds the order in its
 * first line, and behind it the agent.
 */
export function openText(agent: RemoteAgent, verb: "open-place" | "keep-place", ready: string): string {
  const name = containerOf(agent);
  // Its own network card is asked by its own program; see allowance.ts.
  const machine = "-v /:/host:ro";
  const state = `-v ${stateFolder}/gatebench:${stateFolder}/gatebench -e XDG_STATE_HOME=${stateFolder}`;
  const setting = `-e GATEBENCH_HOST=${agent.host} -e GATEBENCH_CONTAINERS=true`;
  const run = `$d run -d --name ${name} --restart unless-stopped --network host --pid host -v /var/run/docker.sock:/var/run/docker.sock ${machine} ${state} ${setting} ${agentImage} sleep infinity > /dev/null`;
  const anew =
    verb === "open-place" ? `$d rm -f ${name} > /dev/null 2>&1; ${run}` : `$d start ${name} > /dev/null 2>&1 || ${run}`;
  return [
    "IFS= read -r order",
    `{ ${ready}; } || { cat > /dev/null; echo "host-unready: ${agent.host} did not become ready for use; its log tells why." >&2; exit 1; }`,
    dockerWord,
    oneAtATime(agent),
    `${anew} || exit 1`,
    `$d exec -i ${name} sh -c 'cat > /agent.js' || exit 1`,
    `printf %s "$order" | $d exec -i ${name} node /agent.js ${verb}`,
  ].join("; ");
}

/** Ends everything of the place, then the agent. A machine without one has nothing of ours. */
export function closeText(agent: RemoteAgent): string {
  const name = containerOf(agent);
  return [
    "IFS= read -r order; cat > /dev/null",
    dockerWord,
    oneAtATime(agent),
    `$d inspect ${name} > /dev/null 2>&1 || exit 0`,
    `printf %s "$order" | $d exec -i ${name} node /agent.js close-place || exit 1`,
    `$d rm -f ${name} > /dev/null`,
  ].join("; ");
}

/** Verbs that change something wait for each other; a job is claimed once and waited for by as many as like. */
export function verbText(agent: RemoteAgent, verb: string, { mayBeDone = false, ends = false } = {}): string {
  const name = containerOf(agent);
  const program =
    verb === "run-job" ? `node /agent.js ${verb}` : `flock ${stateFolder}/gatebench/verbs.lock node /agent.js ${verb}`;
  return [
    ...(mayBeDone ? ['IFS= read -r first; [ "$first" = done ] && exit 0'] : []),
    dockerWord,
    ...(ends ? [`$d inspect ${name} > /dev/null 2>&1 || { cat > /dev/null; exit 0; }`] : []),
    `exec $d exec -i ${name} ${program}`,
  ].join("; ");
}
