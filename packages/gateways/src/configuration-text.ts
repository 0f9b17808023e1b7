/** Lines of a configuration file; what is false or undefined was not asked for. */
export const lines = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined).join("\n");

/** `head { … }` with its body indented. */
export const block = (head: string, ...body: readonly (string | false | undefined)[]): string =>
  `${head} {\n${lines(...body).replace(/^(?=.)/gm, "    ")}\n}`;
