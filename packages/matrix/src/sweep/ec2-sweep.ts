import { setTimeout as sleep } from "node:timers/promises";
import { durationPattern, fault, FaultError, secondsOf, type Duration } from "@gatebench/core";
import { readableTime } from "../readable-time";
import { ec2Kinds, type Ec2, type Ec2Kind, type Ec2Resource } from "./ec2-kinds";
import type { LeftGroup, Leftover, Removal, Sweepable } from "./leftover";

export interface Ec2SweepOptions {
  readonly region: string;
  /** This stack alone ("project/stack"), also while its machines' time is not over. @default all whose time is over */
  readonly stack?: string;
  readonly now?: number;
  /** How long EC2 may take to let go of something. @default 10 minutes */
  readonly patienceS?: number;
}

/** What every resource of `Ec2Topology` is tagged with. */
const ours = [{ Name: "tag:Project", Values: ["gatebench"] }];
/** Of machines that do not say it. */
const defaultTtl: Duration = "4h";

interface Found extends Leftover {
  readonly resource: Ec2Resource;
}

/**
 * What runs left on EC2 in a region, by its tags. A stack is in use as long as something in it is younger than its machines'
 * time to live: after that they have ended themselves, and what is left of it is nobody's.
 */
export async function ec2Sweep(ec2: Ec2, options: Ec2SweepOptions): Promise<Sweepable> {
  const { region, stack, now = Date.now(), patienceS = 600 } = options;
  const filters = stack === undefined ? ours : [...ours, { Name: "tag:Stack", Values: [stack] }];
  const resources = new Map<string, Found[]>();
  for (const kind of ec2Kinds)
    for (const resource of await told(region, () => kind.list(ec2, filters))) {
      const name = resource.tags.Stack ?? "no stack";
      const item = { kind: kind.name, id: resource.id, about: resource.about, since: resource.since, resource };
      resources.set(name, [...(resources.get(name) ?? []), item]);
    }
  return {
    groups: [...resources].map(([name, items]) => ({
      ...{ name, where: region, items },
      inUse: stack === undefined ? inUse(items, now) : undefined,
    })),
    remove: (groups, say) => removeAll(ec2, groups, patienceS, say),
  };
}

/** Until when the youngest of a stack may be needed. */
function inUse(items: readonly Found[], now: number): string | undefined {
  const ends = items.flatMap(({ since, resource }) => (since ? [since.getTime() + 1000 * ttlS(resource)] : []));
  const leftS = (Math.max(0, ...ends) - now) / 1000;
  return leftS > 0 ? `its machines' time is over in ${readableTime(leftS)}` : undefined;
}

function ttlS({ tags: { Ttl = defaultTtl } }: Ec2Resource): number {
  return secondsOf(durationPattern.test(Ttl) ? (Ttl as Duration) : defaultTtl);
}

/** Kind by kind over all groups: what holds others goes first. */
async function removeAll(
  ec2: Ec2,
  groups: readonly LeftGroup[],
  patienceS: number,
  say: (removal: Removal) => void,
): Promise<void> {
  const items = groups.flatMap((group) => group.items as readonly Found[]);
  for (const kind of ec2Kinds) {
    const its = items.filter((item) => item.kind === kind.name);
    if (its.length > 0) await removeKind(ec2, kind, its, patienceS, say);
  }
}

async function removeKind(
  ec2: Ec2,
  kind: Ec2Kind,
  items: readonly Found[],
  patienceS: number,
  say: (removal: Removal) => void,
): Promise<void> {
  const asked: Found[] = [];
  for (const item of items) {
    const failure = await failureOf(() => patiently(() => kind.remove(ec2, item.resource), patienceS));
    if (failure === undefined && kind.gone) asked.push(item);
    else say({ item, failure });
  }
  if (!kind.gone || asked.length === 0) return;
  const ids = asked.map(({ id }) => id);
  const failure = await failureOf(() => (kind.gone as NonNullable<Ec2Kind["gone"]>)(ec2, ids, patienceS));
  for (const item of asked) say({ item, failure });
}

/** Tried again while EC2 says that something else still holds it: machines let go of their network a while after they ended. */
async function patiently(remove: () => Promise<unknown>, patienceS: number): Promise<void> {
  const until = Date.now() + 1000 * patienceS;
  for (let waitMs = 1000; ; waitMs = Math.min(10_000, 2 * waitMs))
    try {
      return void (await remove());
    } catch (error) {
      if (!held.includes((error as Error).name) || Date.now() + waitMs > until) throw error;
      await sleep(waitMs);
    }
}

/** EC2's error codes for "not yet". */
const held = ["DependencyViolation", "InvalidPlacementGroup.InUse", "VolumeInUse"];

/** In one line; undefined: it is gone, or was so already. */
async function failureOf(remove: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await remove();
    return undefined;
  } catch (error) {
    const { name, message } = error as Error;
    return /NotFound|\.Unknown$/.test(name) ? undefined : `${name}: ${message}`.replace(/\s+/g, " ");
  }
}

/** What AWS answers, or one line why it does not. */
async function told<T>(region: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { name, message } = error as Error;
    throw new FaultError([
      fault(
        "cloud-refused",
        `EC2 in ${region} does not say what is there (${name}: ${message.replace(/\.$/, "")}). Look at the credentials, the region and the connection; it takes the right to describe and delete what Ec2Topology makes.`,
      ),
    ]);
  }
}

/** The SDK, which is not installed with gatebench: it is as large as all the rest. */
export async function openEc2(region: string): Promise<Ec2> {
  try {
    const sdk = await import("@aws-sdk/client-ec2");
    return { sdk, client: new sdk.EC2Client({ region }) };
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND" &&
      (error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND"
    )
      throw error;
    const message = `AWS's SDK is not there. Install it beside gatebench: "npm install @aws-sdk/client-ec2".`;
    throw new FaultError([fault("missing-package", message)]);
  }
}
