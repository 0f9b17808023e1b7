import type { Protocol } from "@gatebench/core";

/** Ends a lane after the run that is under way: nothing that was measured is thrown away by an interrupt. */
export class PatientStop {
  readonly #abort = new AbortController();
  #asked = false;
  #running = false;

  /** Given to the engine: it ends when nothing is being measured. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get asked(): boolean {
    return this.#asked;
  }

  ask(): void {
    this.#asked = true;
    if (!this.#running) this.#abort.abort();
  }

  /** The run that was under way is known. */
  ran(): void {
    this.#running = false;
    if (this.#asked) this.#abort.abort();
  }

  /** The same protocol, which begins no run after it was asked to stop. */
  patient(protocol: Protocol): Protocol {
    return {
      ...protocol,
      next: (load, history) => {
        const step = this.#asked ? undefined : protocol.next(load, history);
        this.#running ||= step !== undefined;
        return step;
      },
    };
  }
}
