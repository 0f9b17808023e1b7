import { fault, FaultError, refuse } from "@gatebench/core";
import type { Command } from "commander";
import { lookOf } from "../look";
import { ec2Sweep, openEc2 } from "./ec2-sweep";
import type { LeftGroup, Removal, Sweepable } from "./leftover";
import { localSweep } from "./local-sweep";
import { removalText, sweepText } from "./sweep-text";

export interface SweepOptions {
  readonly ec2: boolean;
  readonly region?: string;
  readonly stack?: string;
  readonly yes: boolean;
}

/** `gatebench sweep`: finds what older runs left behind, and removes it where that is asked for. */
export function sweepCommand(command: Command): void {
  describedSweep(command).action(sweep);
}

/** The same arguments, for a command that only wants to know what they need. */
export function describedSweep(command: Command): Command {
  return command
    .description("list what older runs left behind on this machine, and on EC2; remove it with --yes")
    .option("--ec2", "by its tags on EC2, too; with AWS's own credentials, as for Pulumi", false)
    .option("--region <region>", "of EC2, such as eu-central-1 (default: AWS_REGION)")
    .option("--stack <project/stack>", "this stack on EC2 alone, also while its machines' time is not over")
    .option("--yes", "remove it; without, nothing is changed", false)
    .addHelpText(
      "after",
      `
Left behind on this machine is a place in which nothing runs; on EC2 a stack whose machines' time to live is over. What may be in
use is listed and left alone.`,
    )
    .allowExcessArguments(false);
}

async function sweep(options: SweepOptions): Promise<void> {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const swept = await sweptBy(options);
  const groups = swept.flatMap((one) => one.groups);
  if (groups.length === 0) return say("nothing was left behind");
  say(sweepText(groups, lookOf(process.stdout)));
  if (!groups.some(isLeft)) return say("\nnothing was left behind");
  if (!options.yes) return say("\nnothing was removed; to remove what was left behind, say the same with --yes");
  say("");
  await removed(swept, (removal) => say(removalText(removal)));
}

const isLeft = ({ inUse }: LeftGroup): boolean => inUse === undefined;

/** Where to look, as it was asked for. */
async function sweptBy({ ec2, stack, region = process.env.AWS_REGION }: SweepOptions): Promise<readonly Sweepable[]> {
  if (!ec2) {
    refuse(
      stack === undefined
        ? []
        : [fault("invalid-option", "--stack is one on EC2. Give --ec2 with it, or leave it out.")],
    );
    return [localSweep()];
  }
  if (!region)
    throw new FaultError([
      fault("invalid-option", "--ec2 needs a region. Give one with --region, such as eu-central-1, or set AWS_REGION."),
    ]);
  const onEc2 = await ec2Sweep(await openEc2(region), { region, ...(stack === undefined ? {} : { stack }) });
  return stack === undefined ? [localSweep(), onEc2] : [onEc2];
}

async function removed(swept: readonly Sweepable[], told: (removal: Removal) => void): Promise<void> {
  let failures = 0;
  for (const one of swept)
    await one.remove(one.groups.filter(isLeft), (removal) => {
      if (removal.failure !== undefined) failures++;
      told(removal);
    });
  if (failures > 0)
    throw new FaultError([
      fault(
        "left-behind",
        `${failures} could not be removed; the lines above say why. Run it again, or remove them by hand.`,
      ),
    ]);
}
