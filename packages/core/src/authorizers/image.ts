/** No registry has it: services/README.md says how to build it for one of yours. */
export const image = { version: "0.1.0", of: (version: string) => `gatebench-ext-authz:${version}` };
