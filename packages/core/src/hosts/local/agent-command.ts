import { join } from "node:path";
import * as command from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import type { AgentOrder } from "../agent-host";

/** The compiled agent; a command of the engine cannot run TypeScript. */
const agent = join(__dirname, "..", "agent", "main.js").replace(/([/\\])src\1/, "$1dist$1");
const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;
const program = `${quoted(process.execPath)} ${quoted(agent)}`;

export interface AgentCommand extends AgentOrder {
  /** A verb, or a shell command that changes nothing. Default: `verb` again, for verbs that may be repeated. */
  readonly update?: string;
  /** Values that neither its text nor its input holds. */
  readonly environment?: Readonly<Record<string, pulumi.Input<string>>>;
  /** Gives update and destroy what was printed before. Short outputs only: these travel in the environment. */
  readonly remembers?: boolean;
}

/**
 * One Command resource. Its text is constant: a failing command prints its own text with everything in it, so that
 * whatever has a value in it travels by standard input.
 */
export function agentCommand(
  name: string,
  { verb, stdin, triggers = [], update, deleteVerb, environment, remembers = false, mayBeDone }: AgentCommand,
  opts: pulumi.CustomResourceOptions,
): command.local.Command {
  const run = (of: string) =>
    mayBeDone ? `IFS= read -r first; [ "$first" = done ] && exit 0; exec ${program} ${of}` : `exec ${program} ${of}`;
  return new command.local.Command(
    name,
    {
      create: run(verb),
      ...(update ? { update: update === "true" ? update : run(update) } : {}),
      ...(deleteVerb ? { delete: run(deleteVerb) } : {}),
      ...(environment ? { environment } : {}),
      stdin,
      triggers: [...triggers],
      logging: "stderr",
      addPreviousOutputInEnv: remembers,
    },
    opts,
  );
}
