/** The Pulumi engine built from its Go module: for machines that reach package registries and nothing else. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "./commands.mjs";
import { goCommand, OLDEST_GO } from "./go.mjs";
import { during } from "./messages.mjs";

const PROGRAM = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";

/** @param {string} version @param {string} directory  Exists afterwards, with `pulumi` in it, whole or not at all. */
export async function builtFromGo(version, directory) {
  const go = await goCommand("building the Pulumi engine");
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
