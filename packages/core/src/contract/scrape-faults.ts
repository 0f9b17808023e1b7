import { durationPattern, duration as lengthOf, secondsOf, type Duration } from "./duration";
import { fault, type Fault } from "./fault";
import type { Load } from "./load";

/** So short that scraping would be most of what is measured. */
const shortestS = 0.1;

/** Of a run; with fewer, every figure of it would be missing. */
const leastScrapes = 2;

/** Why an observatory cannot scrape so often, or would see too little of a load. */
export function scrapeFaults(interval: Duration, load?: Load): readonly Fault[] {
  if (!durationPattern.test(interval) || secondsOf(interval) < shortestS)
    return [
      fault(
        "invalid-option",
        `an observatory cannot scrape every "${interval}"; give a duration from "100ms", such as "1s".`,
      ),
    ];
  const { duration } = load ?? {};
  const leastS = leastScrapes * secondsOf(interval);
  return duration === undefined || secondsOf(duration) >= leastS
    ? []
    : [
        fault(
          "invalid-option",
          `an observatory that scrapes every ${interval} sees too little of a run of ${duration}: its figures need two scrapes. Scrape more often, or measure for ${lengthOf(leastS)} or longer.`,
        ),
      ];
}
