import type { Job } from "@gatebench/core/contract";

/** What a job runs in, and what a container host builds that from. */
export type BuiltImage = Required<Pick<Job, "image" | "dockerfile">>;

export const debian = "debian:12.12-slim";

/** The instruction that installs packages and leaves nothing else behind. */
export const installed = (...packages: readonly string[]): string =>
  `RUN apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")} && rm -rf /var/lib/apt/lists/*`;

/** A tool without an official image: Debian's package of that version. */
export const debianImage =
  (name: string) =>
  (version: string): BuiltImage => ({
    image: `gatebench/${name}:${version}`,
    dockerfile: [`FROM ${debian}`, installed(`${name}=${version}*`), ""].join("\n"),
  });
