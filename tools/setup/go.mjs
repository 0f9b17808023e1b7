/** A Go that is new enough to build what comes as Go modules. */
import { chmod, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackages } from "./apt.mjs";
import { onPath, output } from "./commands.mjs";
import { during, fault } from "./messages.mjs";

/** What the newest of these modules and `services/go.mod` ask for. From 1.21 on, go fetches a newer toolchain by itself. */
const GO_VERSION = "1.26.8";
export const OLDEST_GO = [1, 21];

/** @param {string} purpose  As in "building X". @returns {Promise<string>} the go command to build with */
export async function goCommand(purpose) {
  if (!onPath("go")) await installPackages(["golang-go"], purpose);
  const { stdout } = await output("go", ["version"]);
  const [, version = "none", major, minor] = /go((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
  if (Number(major) === OLDEST_GO[0] && Number(minor) >= OLDEST_GO[1]) return "go";
  return (await newerToolchain()) ?? tooOld(version, purpose);
}

/** An older go, such as Debian 12's, does not know that toolchains are modules like any other; but it can fetch one. */
async function newerToolchain() {
  const architecture = { x64: "amd64", arm64: "arm64" }[process.arch];
  const module = `golang.org/toolchain@v0.0.1-go${GO_VERSION}.linux-${architecture}`;
  const fetching = () => output("go", ["mod", "download", "-json", module], { cwd: tmpdir() });
  const { code, stdout } = await during(`fetching Go ${GO_VERSION} as a Go module`, fetching);
  return code === 0 ? executableGo(JSON.parse(stdout).Dir) : undefined;
}

/** Modules carry no executable files, so these must be made so. */
async function executableGo(root) {
  const files = await readdir(root, { recursive: true });
  const programs = files.filter((file) => /^(bin|pkg\/tool\/[^/]+)\/[^/]+$/.test(file));
  await Promise.all(programs.map((file) => chmod(join(root, file), 0o755)));
  return join(root, "bin/go");
}

function tooOld(version, purpose) {
  const wanted = OLDEST_GO.join(".");
  throw fault(
    "go-too-old",
    `${purpose} takes Go ${wanted} or newer, and on PATH is ${version}. Install Go ${wanted} or newer from https://go.dev/dl/ and run this again.`,
  );
}
