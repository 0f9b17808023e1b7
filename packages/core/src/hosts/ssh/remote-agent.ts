import { placeLabel } from "../agent/labels";

/** Node, for our agent; it has flock and prlimit too. */
export const agentImage = "node:22.12.0-bookworm-slim";

/** Where everything of gatebench lies on the machine, and under the same path in the agent's container. */
export const stateFolder = "/var/lib";
const ours = `${stateFolder}/gatebench`;
const mounted = `-v ${ours}:${ours}`;

/** By its group, or by sudo without a password. */
const dockerWord = 'd=docker; [ -w /var/run/docker.sock ] || d="sudo -n docker"';

/** One line, whatever it is told. */
const failing = `fail() { printf %s "$*" | tr -s '\\n' ' ' >&2; echo >&2; exit 1; }`;

/** One machine's agent: a container that sees the machine's processes, network and Docker. */
export interface RemoteAgent {
  /** Names the machine's part of a topology; a word for a shell. */
  readonly place: string;
  /** Names the machine in results. */
  readonly host: string;
}

const containerOf = ({ place }: RemoteAgent): string => `gatebench-${place}`;

/** Who asked last: it counts, whatever one whose connection was cut still waits for. */
const ticketOf = (agent: RemoteAgent): string => `/tmp/${containerOf(agent)}.turn`;
/** The home folder is locked instead of a file of our own, so that none stays behind. */
const oneAtATime = 'exec 9< "$HOME"; flock 9';

/** Says whether the machine can be used. Makes nothing, so that a cut in between leaves nothing. */
export function readyText({ host }: RemoteAgent, ready: string): string {
  const allow = "Add its account to the group docker, or let it use sudo without a password, and run up again.";
  return [
    failing,
    `{ ${ready}; } || fail "host-unready: ${host} did not become ready for use; its log tells why."`,
    `command -v docker > /dev/null || fail "host-unready: ${host} has no docker. Install Docker Engine on it, and run up again."`,
    dockerWord,
    `said=$($d version 2>&1 > /dev/null) || fail "host-unready: Docker of ${host} cannot be used: $said. ${allow}"`,
    `$d image inspect ${agentImage} > /dev/null 2>&1 || said=$($d pull -q ${agentImage} 2>&1 > /dev/null) || fail "image-unavailable: ${agentImage} could not be pulled on ${host}: $said. Let the machine reach its registry, or load the image under that name."`,
  ].join("; ");
}

/** The end of an agent that arrived: a connection that is cut gives the beginning of one, and no error. */
export const wholeAgent = "// That is all.";

/** What stays of a session that was cut without its machine being told must not wait for ever. */
const arrivesWithinS = 60;

/**
 * Starts the agent's container, gives it the agent and asks it to open the place. Standard input holds the order in its
 * first line, and behind it the agent; all of it is here before anything is touched.
 */
export function openText(agent: RemoteAgent, verb: "open-place" | "keep-place"): string {
  const name = containerOf(agent);
  const ticket = ticketOf(agent);
  const setting = `-e XDG_STATE_HOME=${stateFolder} -e GATEBENCH_HOST=${agent.host} -e GATEBENCH_PROGRAMS=containers`;
  // Its own network card is asked by its own program; see allowance.ts.
  const machine = "-v /:/host:ro";
  const run = `$d run -d --name ${name} --restart unless-stopped --network host --pid host -v /var/run/docker.sock:/var/run/docker.sock ${machine} ${mounted} ${setting} ${agentImage} sleep infinity > /dev/null`;
  const anew =
    verb === "open-place" ? `$d rm -f ${name} > /dev/null 2>&1; ${run}` : `$d start ${name} > /dev/null 2>&1 || ${run}`;
  return [
    `IFS= read -r order; agent=$(timeout ${arrivesWithinS} cat)`,
    `case $agent in *"${wholeAgent}") ;; *) exit 1 ;; esac`,
    dockerWord,
    `echo $$ > ${ticket}; ${oneAtATime}; [ "$(cat ${ticket})" = $$ ] || exit 1`,
    `${anew} || exit 1`,
    `printf %s "$agent" | $d exec -i ${name} sh -c 'cat > /agent.new && mv /agent.new /agent.js' || exit 1`,
    `printf %s "$order" | $d exec -i ${name} node /agent.js ${verb}`,
  ].join("; ");
}

/** Ends everything of the place, whatever became of its agent: it may have been cut off before it was there. */
export function closeText(agent: RemoteAgent): string {
  const name = containerOf(agent);
  const all = `$d ps -aq --filter label=${placeLabel}=${agent.place}`;
  const folder = `${ours}/places/${agent.place}`;
  return [
    dockerWord,
    `rm -f ${ticketOf(agent)}; ${oneAtATime}`,
    `$d rm -f ${name} > /dev/null 2>&1`,
    `all=$(${all}) || exit 1; [ -z "$all" ] || $d rm -f -v $all > /dev/null || exit 1`,
    `$d run --rm --network none ${mounted} ${agentImage} rm -rf ${folder}`,
  ].join("; ");
}

/**
 * Asks the agent. `owner`: what it is about, where the verb changes something; those wait for each other, and of several
 * for the same only the last is carried out. A job is claimed once and waited for by as many as like.
 */
export function verbText(
  agent: RemoteAgent,
  verb: string,
  owner: string,
  { mayBeDone = false, ends = false } = {},
): string {
  const name = containerOf(agent);
  const about = verb === "run-job" ? "" : ` ${wordOf(owner)}`;
  return [
    ...(mayBeDone ? ['IFS= read -r first; [ "$first" = done ] && exit 0'] : []),
    dockerWord,
    ...(ends ? [`$d inspect ${name} > /dev/null 2>&1 || { cat > /dev/null; exit 0; }`] : []),
    `exec $d exec -i ${name} node /agent.js ${verb}${about}`,
  ].join("; ");
}

/** Prints files of a folder, as collected-artifacts.ts reads them. */
export function archiveText(agent: RemoteAgent, folder: string, paths: readonly string[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const words = [folder, JSON.stringify(paths)].map(quoted).join(" ");
  return `${dockerWord}; exec $d exec ${containerOf(agent)} node /agent.js send-artifacts ${words}`;
}

/** As a shell and Docker take it without quotes. */
export const wordOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9_.-]/g, "-");
