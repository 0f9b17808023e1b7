/** The Pulumi engine built from its Go module: for machines that reach package registries and nothing else. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installPackages } from "./apt.mjs";
import { must, onPath, output } from "./commands.mjs";
import { during, fault } from "./messages.mjs";

const PROGRAM = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
// The first Go that fetches a newer toolchain by itself, which the engine's module may ask for.
const OLDEST_GO = [1, 21];

/** @param {string} version @param {string} directory  Exists afterwards, with `pulumi` in it, whole or not at all. */
export async function builtFromGo(version, directory) {
  await requireGo();
  const partial = `${directory}.${process.pid}`;
  try {
    await during(`building the Pulumi engine ${version} from its Go module (2 to 4 minutes, once)`, () =>
      build(version, partial),
    );
    await rename(join(partial, "bin"), directory);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function build(version, directory) {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "go.mod"), goMod(version));
  await writeFile(join(directory, "engine.go"), `package engine\n\nimport _ "${PROGRAM}"\n`);
  const options = { cwd: directory };
  await must("engine-build", "Resolving the engine's Go modules", "go", ["mod", "tidy"], options);
  const flags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`;
  await must("engine-build", "Building the engine", "go", ["build", "-o", "bin/", "-ldflags", flags, PROGRAM], options);
}

const goMod = (version) => `module gatebench.invalid/engine

go ${OLDEST_GO.join(".")}

require github.com/pulumi/pulumi/pkg/v3 v${version}
`;

async function requireGo() {
  if (!onPath("go")) await installPackages(["golang-go"], "Go, to build the Pulumi engine");
  const { stdout } = await output("go", ["version"]);
  const [, version = "none", major, minor] = /go((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
  if (Number(major) === OLDEST_GO[0] && Number(minor) >= OLDEST_GO[1]) return;
  const wanted = OLDEST_GO.join(".");
  const advice = `install Go ${wanted} or newer from https://go.dev/dl/, or Pulumi from https://www.pulumi.com/docs/install/, and run this again`;
  throw fault(
    "go-too-old",
    `building the Pulumi engine takes Go ${wanted} or newer and ${version} is on PATH: ${advice}.`,
  );
}
