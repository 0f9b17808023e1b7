import type { Protocol } from "@gatebench/core";

/** Ends a lane after the run that is under way: nothing that was measured is thrown away by an interrupt. */
export class PatientStop {
  readonly #abort = new AbortController();
  #asked = false;
  /** Runs that were begun and are not known yet: the next may begin just before the one before it is. */
  #underWay = 0;

  /** Given to the engine: it ends when nothing is being measured. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get asked(): boolean {
    return this.#asked;
  }

  ask(): void {
    this.#asked = true;
    if (this.#underWay <= 0) this.#abort.abort();
  }

  /** A run that was under way is known. */
  ran(): void {
    this.#underWay -= 1;
    if (this.#asked && this.#underWay <= 0) this.#abort.abort();
  }

  /** The same protocol, for a program that begins now, which begins no run after it was asked to stop. */
  patient(protocol: Protocol): Protocol {
    this.#underWay = 0;
    return {
      ...protocol,
      next: (load, history) => {
        const step = this.#asked ? undefined : protocol.next(load, history);
        if (step) this.#underWay += 1;
        return step;
      },
    };
  }
}
