/** The Pulumi engine built from its Go module: for machines that reach package registries and nothing else. */
import { chmod, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackages } from "./apt.mjs";
import { must, onPath, output } from "./commands.mjs";
import { during, fault } from "./messages.mjs";

const PROGRAM = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
/** What the engine's module asks for. From 1.21 on, go fetches a newer toolchain by itself. */
const GO_VERSION = "1.24.7";
const OLDEST_GO = [1, 21];

/** @param {string} version @param {string} directory  Exists afterwards, with `pulumi` in it, whole or not at all. */
export async function builtFromGo(version, directory) {
  const go = await goCommand();
  const partial = `${directory}.partial`;
  try {
    await during(`building the Pulumi engine ${version} from its Go module (2 to 4 minutes, once)`, () =>
      build(go, version, partial),
    );
    await rename(join(partial, "bin"), directory);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function build(go, version, directory) {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "go.mod"), goMod(version));
  await writeFile(join(directory, "engine.go"), `package engine\n\nimport _ "${PROGRAM}"\n`);
  const options = { cwd: directory };
  await must("engine-build", "Resolving the engine's Go modules", go, ["mod", "tidy"], options);
  const flags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`;
  await must("engine-build", "Building the engine", go, ["build", "-o", "bin/", "-ldflags", flags, PROGRAM], options);
}

const goMod = (version) => `module gatebench.invalid/engine

go ${OLDEST_GO.join(".")}

require github.com/pulumi/pulumi/pkg/v3 v${version}
`;

/** @returns {Promise<string>} the go command to build with */
async function goCommand() {
  if (!onPath("go")) await installPackages(["golang-go"], "building the Pulumi engine");
  const { stdout } = await output("go", ["version"]);
  const [, version = "none", major, minor] = /go((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
  if (Number(major) === OLDEST_GO[0] && Number(minor) >= OLDEST_GO[1]) return "go";
  return (await newerToolchain()) ?? tooOld(version);
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

function tooOld(version) {
  const wanted = OLDEST_GO.join(".");
  const advice = `Install Go ${wanted} or newer from https://go.dev/dl/, or Pulumi from https://www.pulumi.com/docs/install/, and run this again.`;
  throw fault(
    "go-too-old",
    `building the Pulumi engine takes Go ${wanted} or newer, and on PATH is ${version}. ${advice}`,
  );
}
