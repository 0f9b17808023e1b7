import type { Resource } from "@pulumi/pulumi";

/**
 * The order in which benchmarks of one topology load its hosts: one after another, never side by side.
 * It orders, it does not re-measure: a benchmark behind another in the queue is not run again when that one changes.
 */
export class Queue {
  #last: readonly Resource[] = [];

  /** What must have ended before the next benchmark begins. */
  get last(): readonly Resource[] {
    return this.#last;
  }

  /** Puts a benchmark's last resource at the end. */
  add(resource: Resource): void {
    this.#last = [resource];
  }
}
