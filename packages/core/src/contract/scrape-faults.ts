import { durationPattern, secondsOf, type Duration } from "./duration";
import { fault, type Fault } from "./fault";
import type { Load } from "./load";

/** So short that scraping would be most of what is measured. */
const shortestS = 0.1;

/** Why an observatory cannot scrape so often, or would see nothing of a load. */
export function scrapeFaults(interval: Duration, load?: Load): readonly Fault[] {
  if (!durationPattern.test(interval) || secondsOf(interval) < shortestS)
    return [
      fault(
        "invalid-option",
        `an observatory cannot scrape every "${interval}"; give a duration from "100ms", such as "1s".`,
      ),
    ];
  const { duration } = load ?? {};
  return duration === undefined || secondsOf(interval) <= secondsOf(duration)
    ? []
    : [
        fault(
          "invalid-option",
          `an observatory that scrapes every ${interval} would see nothing of a run of ${duration}. Scrape more often, or measure for longer.`,
        ),
      ];
}
