import { placesHere, removePlace, type PlaceHere } from "@gatebench/core/local";
import type { LeftGroup, Removal, Sweepable } from "./leftover";

const here = "this machine";
/** A place that is just being opened or closed has no process on record yet, or none any more. */
const quietS = 600;

/**
 * Places on this machine in which nothing runs any more: what a killed run left, or one before a restart. Where anything
 * still runs nobody can say whether somebody waits for it, so it is left alone: "gatebench destroy" or "pulumi destroy"
 * takes it down where it was started.
 */
export function localSweep(now = Date.now()): Sweepable {
  return { groups: placesHere().map((place) => groupOf(place, now)), remove: removeAll };
}

function groupOf({ name, path, running, touchedAt }: PlaceHere, now: number): LeftGroup {
  const quietFor = (now - touchedAt.getTime()) / 1000;
  const inUse =
    running > 0
      ? `${running} ${running === 1 ? "process runs" : "processes run"}; take it down where it was started`
      : quietFor < quietS
        ? `something was written less than ${quietS / 60} minutes ago`
        : undefined;
  return { name, where: here, inUse, items: [{ kind: "place", id: name, about: path, since: touchedAt }] };
}

async function removeAll(groups: readonly LeftGroup[], told: (removal: Removal) => void): Promise<void> {
  for (const item of groups.flatMap(({ items }) => items)) {
    const gone = await removePlace(item.id);
    told({ item, failure: gone ? undefined : "by now something runs in it" });
  }
}
