/** oha's own image has neither a shell nor sqlite3; ours is `debian:12-slim` with oha and sqlite3, under this name. */
export const image = {
  version: "1.16.0",
  of: (version: string) => `gatebench/oha:${version}`,
};
