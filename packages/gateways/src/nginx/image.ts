export const image = { version: "1.30.4", of: (version: string) => `nginx:${version}` };
