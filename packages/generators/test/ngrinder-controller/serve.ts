/**
 * For tests only: the stand-in of nGrinder's controller as a program, started with the words of the real one, and with agents
 * (agent.ts) that send. What it says of REST is controller.ts's; how it talks to its agents is its own.
 */
import { createServer } from "node:http";
import { startController, type Body, type Outcome } from "./controller";

/** What an agent is to send. */
export interface Task {
  /** Counted from 0. */
  readonly agent: number;
  readonly test: Body;
  readonly script: string;
}

/** What an agent says. */
export interface Heard {
  readonly name: string;
  readonly isFree: boolean;
  readonly outcome?: Outcome;
}

interface Agent {
  seenMs: number;
  task?: Task | undefined;
  done?: ((outcome: Outcome) => void) | undefined;
}

const everywhere = "0.0.0.0";
const gonePastMs = 2000;
const agents = new Map<string, Agent>();

const argument = (name: string): number =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3));
const present = () => [...agents].filter(([, { seenMs }]) => Date.now() - seenMs < gonePastMs);

/** A task goes to an agent that is free to take it, once. */
function heard(name: string, isFree: boolean, outcome: Outcome | undefined): Task | undefined {
  const agent = agents.get(name) ?? { seenMs: 0 };
  agents.set(name, agent);
  agent.seenMs = Date.now();
  if (outcome) agent.done?.(outcome);
  if (!isFree) return undefined;
  const { task } = agent;
  agent.task = undefined;
  return task;
}

async function load(test: Body, script: string): Promise<Outcome> {
  const chosen = present().slice(0, Number(test.agentCount));
  const each = chosen.map(
    ([, agent], index) =>
      new Promise<Outcome>((done) => Object.assign(agent, { task: { agent: index, test, script }, done })),
  );
  const outcomes = await Promise.all(each);
  const sum = (name: "tests" | "errors") => outcomes.reduce((total, outcome) => total + outcome[name], 0);
  return {
    tests: sum("tests"),
    errors: sum("errors"),
    logs: Object.assign({}, ...outcomes.map(({ logs }) => logs)) as Outcome["logs"],
  };
}

async function serve(): Promise<void> {
  createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const { name, isFree, outcome } = JSON.parse(text) as Heard;
    response.end(JSON.stringify({ task: heard(name, isFree, outcome) }));
  }).listen(argument("controller-port"), everywhere);
  await startController({ port: argument("port"), host: everywhere, agentsAt: () => present().length, load });
}

void serve();
