import { debian, installed, type BuiltImage } from "../debian-image";

/** The name Debian has for the architecture is the one in the release's name. */
const program = (version: string): string =>
  `https://github.com/hatoo/oha/releases/download/v${version}/oha-linux-$(dpkg --print-architecture)`;

/** oha's own image has neither a shell nor sqlite3. */
export const image = {
  version: "1.16.0",
  of: (version: string): BuiltImage => ({
    image: `gatebench/oha:${version}`,
    dockerfile: [
      `FROM ${debian}`,
      installed("ca-certificates", "curl", "sqlite3"),
      `RUN curl -fsSL -o /usr/local/bin/oha "${program(version)}" && chmod +x /usr/local/bin/oha`,
      "",
    ].join("\n"),
  }),
};
