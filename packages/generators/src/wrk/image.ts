/** Debian 12's wrk. wrk has no official image; ours is `debian:12-slim` with the package `wrk`, under this name. */
export const image = {
  version: "4.1.0",
  of: (version: string) => `gatebench/wrk:${version}`,
};
