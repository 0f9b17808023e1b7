import { fault, listed, type Fault } from "@gatebench/core";
import { didYouMean } from "./nearest";
import { shown } from "./shown";

type Options = Readonly<Record<string, unknown>>;

/** Options that write down which of them were asked for. An adapter is a function of them: what it reads, it knows. */
export class WatchedOptions {
  readonly read = new Set<string>();
  /** Asked for all of them at once, as a spread does: then nobody can tell which ones it knows. */
  wereListed = false;
  readonly options: Options;

  constructor(given: Options) {
    this.options = new Proxy(given, {
      get: (target, key) => this.#seen(key) && Reflect.get(target, key),
      has: (target, key) => this.#seen(key) && Reflect.has(target, key),
      ownKeys: (target) => ((this.wereListed = true), Reflect.ownKeys(target)),
    });
  }

  #seen(key: string | symbol): true {
    if (typeof key === "string") this.read.add(key);
    return true;
  }
}

/** Options that `name` never reads, and versions that YAML has rounded; each with its key. */
export function optionFaults(
  name: string,
  given: Options,
  { read, wereListed }: WatchedOptions,
): readonly (Fault & { readonly option: string })[] {
  const known = [...read].sort();
  const unread = wereListed ? [] : Object.keys(given).filter((option) => !read.has(option));
  return [
    ...unread.map((option) => ({ ...fault("unknown-key", unknown(name, option, known)), option })),
    ...Object.entries(given).flatMap(([option, value]) => rounded(option, value)),
  ];
}

const unknown = (name: string, option: string, known: readonly string[]): string =>
  known.length === 0
    ? `${name} takes no options. Leave them out.`
    : `${name} has no such option${didYouMean(option, known) || "."} It reads: ${listed(known)}.`;

/** 1.20 is 1.2 to YAML, and another image. */
function rounded(option: string, value: unknown): readonly (Fault & { readonly option: string })[] {
  const isVersion = /version$/i.test(option) && typeof value !== "string";
  return isVersion
    ? [
        {
          ...fault("invalid-option", `${shown(value)} is not a text. Write a version in quotes, such as "1.30.4".`),
          option,
        },
      ]
    : [];
}
