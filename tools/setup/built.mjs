/** Programs built from source modules, each in a folder of its own: whole, or not at all. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isExecutable, must, output } from "./commands.mjs";
import { goCommand } from "./go.mjs";
import { during, fault } from "./messages.mjs";
import { cache, services } from "./paths.mjs";

/** @param {string} name @param {string} module  With its version. @returns {Promise<string>} the program */
export async function builtFromGoModule(name, module) {
  const go = await goCommand(`building ${name}`);
  return built(name, module, `building ${name} (${module}, one to three minutes, once)`, async (directory) => {
    const env = { ...process.env, GOBIN: join(directory, "bin") };
    await must("go-install", `Building ${module}`, go, ["install", module], { env });
  });
}

/**
 * @param {string} name @param {string} crate  With its version.
 * @param {string} release  Where the project offers it ready-made, for machines that reach it. @returns {Promise<string>}
 */
export async function builtFromCrate(name, crate, release) {
  return built(
    name,
    crate,
    `installing ${name} (${crate}; built by cargo in about five minutes, once)`,
    async (directory) => {
      if (await downloaded(release, join(directory, "bin"), name)) return;
      const { code } = await output("cargo", ["--version"]);
      if (code !== 0) throw noCargo(name, release);
      await must("cargo-install", `Building ${crate}`, "cargo", ["install", crate, "--locked", "--root", directory]);
    },
  );
}

/** @param {string} name @param {string} folder  Of this clone's services. @returns {Promise<string>} built from what stands there now */
export async function builtFromService(name, folder) {
  const source = `services/${folder}@${await servicesHash()}`;
  const before = builtBefore(name, source);
  if (before) return before;
  const go = await goCommand(`building ${name}`);
  return built(name, source, `building ${name} (services/${folder}, up to two minutes, once)`, (directory) => {
    const args = ["build", "-trimpath", "-o", join(directory, "bin", name), `./${folder}`];
    return must("go-build", `Building services/${folder}`, go, args, { cwd: services });
  });
}

async function servicesHash() {
  const all = await readdir(services, { recursive: true });
  const read = all.filter((file) => /\.go$|^go\.(mod|sum)$/.test(file) && !file.endsWith("_test.go")).sort();
  const hash = createHash("sha256");
  for (const file of read) hash.update(`${file}\0`).update(await readFile(join(services, file)));
  return hash.digest("hex").slice(0, 12);
}

/** @returns {string | undefined} a program that was built before, from this very version */
export function builtBefore(name, source) {
  const program = join(directoryOf(source), "bin", name);
  return isExecutable(program) ? program : undefined;
}

const directoryOf = (source) => join(cache, "built", source.replaceAll(/[/@]/g, "-"));

/** @param {string} source  With its version. @param {(directory: string) => Promise<void>} build  Fills its `bin`. */
export async function built(name, source, line, build) {
  const directory = directoryOf(source);
  const partial = `${directory}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(join(partial, "bin"), { recursive: true });
  await during(line, () => build(partial));
  await rm(directory, { recursive: true, force: true });
  await rename(partial, directory);
  return join(directory, "bin", name);
}

const REACHABLE_MS = 5_000;

/** A machine without the internet falls through quickly and without a word. */
async function downloaded(url, directory, name) {
  try {
    await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(REACHABLE_MS) });
    const answer = await fetch(url);
    if (!answer.ok) return false;
    await writeFile(join(directory, name), Buffer.from(await answer.arrayBuffer()), { mode: 0o755 });
    return true;
  } catch {
    return false;
  }
}

const noCargo = (name, release) =>
  fault(
    "no-cargo",
    `${name} cannot be had here: ${release} is out of reach, and there is no cargo to build it. Install Rust from https://rustup.rs, or put ${name} on PATH, and run this again.`,
  );
