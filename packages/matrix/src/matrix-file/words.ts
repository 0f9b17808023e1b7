import { z } from "zod";
import { shown } from "./shown";

/** What was given, and everything that is possible. Of an unknown key that is another sentence. */
export const not = (wanted: string) => ({
  error: ({ code, input }: { readonly code?: string; readonly input?: unknown }) =>
    code === "unrecognized_keys" ? undefined : `${shown(input)} is not ${wanted}`,
});
export const oneOf = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.enum(names, not(`one of ${names.join(", ")}`));
export const matching = (form: RegExp, wanted: string) => z.string(not(wanted)).regex(form, not(wanted));

const wantedName = 'a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned"';
export const kebab = matching(/^[a-z0-9]+(-[a-z0-9]+)*$/, wantedName).max(40, not(wantedName));
export const named = matching(/\S/, "a name");
export const options = z.record(z.string(), z.unknown(), not("options; write each as a line, name: value"));
export const flag = z.boolean(not("true or false"));
export const mapping = not("a mapping; write its keys as lines, key: value");
export const several = <T extends z.ZodType>(one: T) =>
  z
    .array(one, not('a list; write each entry as a line that begins with "- "'))
    .min(1, "the list is empty; give at least one entry");
