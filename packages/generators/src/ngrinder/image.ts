/** The images nGrinder publishes (Java 11), and the one our client of its controller runs in. */
export const image = {
  version: "3.5.9-p1",
  controller: (version: string) => `ngrinder/controller:${version}`,
  agent: (version: string) => `ngrinder/agent:${version}`,
  client: "node:22.12.0-slim",
};
