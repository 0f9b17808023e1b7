import { reference, type Values } from "../../../contract/reference";

/** Shorter values, such as a user's name, would turn ordinary words into references. */
const shortest = 8;

/** A function that puts references back where a text holds their values, whole or line by line. */
export function masking(values: Values): (text: string) => string {
  const secrets = Object.entries(values)
    .flatMap(([name, value]) =>
      [value, ...value.split("\n"), encodeURIComponent(value)].map((form) => ({ name, form })),
    )
    .filter(({ form }) => form.length >= shortest && !form.startsWith("-----"))
    .sort((left, right) => right.form.length - left.form.length);
  return (text) => secrets.reduce((masked, { name, form }) => masked.replaceAll(form, reference(name)), text);
}
