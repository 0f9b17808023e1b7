/** A configuration file as Tyk's own examples are written. */
export const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
