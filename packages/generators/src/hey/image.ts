/** Debian 12's hey. hey has no official image; ours is `debian:12-slim` with the package `hey`, under this name. */
export const image = {
  version: "0.1.4",
  of: (version: string) => `gatebench/hey:${version}`,
};
