export const image = { version: "3.9.3", of: (version: string) => `kong:${version}` };
