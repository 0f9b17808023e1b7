import { fault, refuse, type Fault } from "@gatebench/core/contract";

/** Virtual users as nGrinder deals them out: agents × processes × threads. */
export interface Split {
  readonly agents: number;
  readonly processes: number;
  readonly threads: number;
}

/** nGrinder's own limit for an agent (controller.max_vuser_per_agent). */
export const mostPerAgent = 3000;
/** Above, one JVM's threads wait for each other more than for answers; nGrinder's own policy starts at most ten processes. */
const threadsPerProcess = 500;
const mostProcesses = 10;

/** Divides users so that nothing is left over; refuses what nGrinder would round or reject. */
export function splitOf(users: number, agents: number, asked: { processes?: number; threads?: number } = {}): Split {
  refuse(agentFaults(users, agents));
  const perAgent = users / agents;
  refuse(limitFaults(perAgent, agents));
  const processes =
    asked.processes ?? (asked.threads === undefined ? processesFor(perAgent) : perAgent / asked.threads);
  const threads = asked.threads ?? perAgent / processes;
  refuse(productFaults(perAgent, processes, threads));
  return { agents, processes, threads };
}

function processesFor(perAgent: number): number {
  for (let count = 1; count <= mostProcesses; count += 1) {
    if (perAgent % count === 0 && perAgent / count <= threadsPerProcess) return count;
  }
  return 1;
}

function agentFaults(users: number, agents: number): readonly Fault[] {
  if (users % agents === 0) return [];
  const fewer = users - (users % agents);
  const nearest = fewer === 0 ? `${agents}` : `${fewer} or ${fewer + agents}`;
  return [
    fault(
      "invalid-load",
      `nGrinder gives every agent the same number of users, and ${users} cannot be divided by ${agents} agents. Ask for ${nearest} users.`,
    ),
  ];
}

function limitFaults(perAgent: number, agents: number): readonly Fault[] {
  if (perAgent <= mostPerAgent) return [];
  return [
    fault(
      "unsupported-load",
      `nGrinder runs at most ${mostPerAgent} users on an agent, and ${perAgent} were asked of each of ${agents}. Ask for at most ${mostPerAgent * agents} users, or give it ${Math.ceil((perAgent * agents) / mostPerAgent)} agents.`,
    ),
  ];
}

function productFaults(perAgent: number, processes: number, threads: number): readonly Fault[] {
  if (Number.isInteger(processes) && Number.isInteger(threads) && processes * threads === perAgent) return [];
  return [
    fault(
      "invalid-option",
      `nGrinder needs processes × threads to be the users of an agent, ${perAgent}; they are given as ${asGiven(processes)} × ${asGiven(threads)}. Leave one out, and give a divisor of ${perAgent}.`,
    ),
  ];
}

const asGiven = (count: number) => Number(count.toFixed(2));
