import { createInterface } from "node:readline";
import type { IncomingMessage } from "node:http";
import { docker, DockerError, dockerStream } from "./docker-api";
import { archiveOf } from "./archive";

export interface Image {
  /** Pinned: `name:tag`. */
  readonly image: string;
  /** What it is built from, where no registry has it. */
  readonly dockerfile?: string;
}

/** The image is on this machine afterwards: it was there, was built, or was pulled. */
export async function provideImage({ image, dockerfile }: Image): Promise<void> {
  if (await isHere(image)) return;
  try {
    await untilDone(dockerfile === undefined ? await pull(image) : await build(image, dockerfile));
  } catch (error) {
    const [from, help] =
      dockerfile === undefined ? ["pulled", "its registry"] : ["built from its Dockerfile", "what it installs from"];
    throw new Error(
      `image-unavailable: ${image} could not be ${from}: ${(error as Error).message.slice(0, 500)}. Let the machine reach ${help}, or load the image under that name.`,
      { cause: error },
    );
  }
}

async function isHere(image: string): Promise<boolean> {
  try {
    await docker("GET", `/images/${image}/json`);
    return true;
  } catch (error) {
    if (error instanceof DockerError && error.status === 404) return false;
    throw error;
  }
}

function pull(image: string): Promise<IncomingMessage> {
  const [, name, tag] = /^(.+):([^:/]+)$/.exec(image) ?? [];
  return dockerStream("POST", "/images/create", { query: { fromImage: name ?? image, tag: tag ?? "" } });
}

const build = (image: string, dockerfile: string): Promise<IncomingMessage> =>
  dockerStream("POST", "/build", { query: { t: image, forcerm: "true" }, body: archiveOf("Dockerfile", dockerfile) });

/** Docker answers 200 and tells of failures in the lines that follow. */
async function untilDone(answer: IncomingMessage): Promise<void> {
  for await (const line of createInterface(answer)) {
    const { error } = JSON.parse(line) as { error?: string };
    if (error !== undefined) throw new Error(error.trim());
  }
}
