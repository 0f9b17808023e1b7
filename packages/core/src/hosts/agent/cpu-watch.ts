import { treeUsage } from "./sample";
import { setting } from "./setting";

/** How often a container's CPU is read: what it uses after the last reading is missing from its sum. */
const everyMs = 50;

/**
 * The CPU of a container that ends: nobody of ours waits for its processes, so that the kernel adds them to nothing of
 * ours. Processes we start ourselves need no watch.
 */
export class CpuWatch {
  #timer: NodeJS.Timeout | undefined;
  #cpuS = 0;

  begin(pid: number): void {
    if (setting.isolated) this.#timer = setInterval(() => this.#read(pid), everyMs);
  }

  end(): { readonly cpuS?: number } {
    clearInterval(this.#timer);
    return this.#timer === undefined ? {} : { cpuS: this.#cpuS };
  }

  #read(pid: number): void {
    this.#cpuS = Math.max(this.#cpuS, treeUsage(pid).cpuS);
  }
}
