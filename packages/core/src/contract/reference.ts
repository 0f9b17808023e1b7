import { fault, type Fault } from "./fault";

/**
 * A value that is not known while a program is planned – an address, a credential, a certificate, the path a file will
 * have – stands in configuration text as an opaque string, `<gatebench:name>`. The host puts the value in when it
 * starts the workload, so adapters stay plain functions of plain data.
 */
export type Reference = string;

/** Values by reference name, without the brackets: `{ "consumer-1.key": "…" }`. */
export type Values = Readonly<Record<string, string>>;

const pattern = /<gatebench:([^<>\s]*)>/g;

/** Names a host itself knows: where files lie, what to bind to, where siblings answer, what a name is looked up to. */
const hostNames = /^(file\..+|folder|bind|address\.[a-z0-9-]+|ip\.[A-Za-z0-9.-]+)$/;

export const isHostName = (name: string): boolean => hostNames.test(name);

export function reference(name: string): Reference {
  return `<gatebench:${name}>`;
}

/** The path of one of the workload's own files. */
export const fileOf = (path: string): Reference => reference(`file.${path}`);
/** A writable folder of the workload's own. */
export const folder: Reference = reference("folder");
/** The address a workload listens on: loopback on this machine, every address elsewhere. */
export const bindAddress: Reference = reference("bind");
/** Where a sibling workload of the same deployment answers. */
export const addressOf = (workload: string): Reference => reference(`address.${workload}`);

/** The names referred to in a text, in order, without repeats. */
export function referencesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => name as string))];
}

/** The text with every reference replaced; throws on one without a value. */
export function substitute(text: string, values: Values): string {
  return text.replace(pattern, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`unknown-reference: <gatebench:${name}> has no value here`);
    return value;
  });
}

/** References in the texts that neither the host nor the given names can resolve. */
export function unknownReferences(texts: readonly string[], known: readonly string[], where: string): readonly Fault[] {
  const names = new Set(texts.flatMap(referencesIn));
  return [...names]
    .filter((name) => !isHostName(name) && !known.includes(name))
    .map((name) =>
      fault(
        "unknown-reference",
        `${where} refers to <gatebench:${name}>, which nothing here provides. Known: ${known.join(", ") || "none"}.`,
      ),
    );
}

/** Whether a text is nothing but one reference, such as a file that holds a certificate. */
export function isReference(text: string): boolean {
  return /^<gatebench:[^<>\s]*>$/.test(text);
}
