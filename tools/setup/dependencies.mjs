/** This clone's npm packages and its compiled packages, each renewed only when what it is made from has changed. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shown } from "./commands.mjs";
import { during, fault } from "./messages.mjs";
import { cli, nodeModules, repository, stamps } from "./paths.mjs";

export async function installDependencies() {
  const lockfile = readFileSync(join(repository, "package-lock.json"), "utf8");
  const stamp = hash(lockfile);
  if (stamped("npm") === stamp) return;
  if (!isInstalled(lockfile)) await npmCi();
  await putStamp("npm", stamp);
}

/** The user may have run npm himself: then nothing is installed again. */
function isInstalled(lockfile) {
  const hidden = join(nodeModules, ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, "utf8")).packages;
  const wanted = Object.entries(JSON.parse(lockfile).packages).filter(([path, entry]) => isOwed(path, entry));
  return wanted.every(([path, { version }]) => installed[path]?.version === version);
}

const isOwed = (path, { optional, peer, link }) => path.startsWith("node_modules/") && !optional && !peer && !link;

async function npmCi() {
  const options = { cwd: repository };
  const installing = () => shown("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], options);
  const code = await during("installing npm packages (npm ci)", installing);
  if (code !== 0) throw fault("npm-ci", `npm ci failed (exit code ${code}); what it said stands above.`);
}

/** Compiles the packages. */
export async function build() {
  const fingerprint = hash(sources().join("\n"));
  if (stamped("build") === fingerprint && existsSync(cli)) return;
  const tsc = join(nodeModules, "typescript/bin/tsc");
  const code = await during("compiling the packages (tsc -b)", () =>
    shown(process.execPath, [tsc, "-b"], { cwd: repository }),
  );
  if (code !== 0) throw fault("build", "the packages do not compile; what tsc said stands above.");
  await putStamp("build", fingerprint);
}

/** Path, size and time of every file that a build reads. */
function sources() {
  const packages = ["packages", "stacks"].flatMap((parent) => subdirectories(join(repository, parent)));
  const shared = ["tsconfig.json", "tsconfig.base.json", "package-lock.json"].map((name) => join(repository, name));
  return [...packages.flatMap(sourcesBelow), ...shared].map(signature);
}

function sourcesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return GENERATED.has(entry.name) ? [] : sourcesBelow(path);
    return /\.ts$|^(tsconfig|package)\.json$/.test(entry.name) ? [path] : [];
  });
}

const GENERATED = new Set(["dist", "node_modules", "golden", "fixtures"]);

const subdirectories = (parent) =>
  readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(parent, name));

function signature(path) {
  const { size, mtimeMs } = statSync(path);
  return `${path} ${size} ${mtimeMs}`;
}

const hash = (text) => createHash("sha256").update(text).digest("hex");

/** Stamps lie inside node_modules: whoever deletes that folder gets everything anew. */
const stampFile = (name) => join(stamps, name);
const stamped = (name) => (existsSync(stampFile(name)) ? readFileSync(stampFile(name), "utf8") : undefined);

async function putStamp(name, text) {
  await mkdir(stamps, { recursive: true });
  await writeFile(stampFile(name), text);
}
