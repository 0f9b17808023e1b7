/** The tests on the real engine with real processes, one file after the other: they share ports, and a machine that is measured. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { interactive } from "./commands.mjs";
import { say } from "./messages.mjs";
import { nodeModules, repository } from "./paths.mjs";

/**
 * What `npm test` leaves to `npm run test:all`: it takes minutes, and shows at length or in one more place what a shorter one
 * shows. A new file is in both.
 */
const long = [
  ...["cluster", "comparisons", "count-truth", "ec2-stack", "eks-(authorization|plugin)", "fidelity"],
  ...["kong-deployment", "kubernetes-[a-z]+", "latency-truth", "load-balancing", "matrix", "matrix-on-(ec2|eks)"],
  ...["observatory-cost", "observed-machines", "rounds", "twin"],
];
const withoutLong = [`--testPathIgnorePatterns=/test/e2e/(${long.join("|")})\\.e2e\\.test\\.ts$`];

const reporter = fileURLToPath(import.meta.resolve("./failed-files.cjs"));

/** More than that is no coincidence. */
const SECOND_TRIES = 5;

/**
 * Nobody looks on where CI is set, and whoever else uses the machine may stop it for seconds: a file in which a test fails is
 * run once more. What it failed at stands in the log either way.
 * @param {string[]} args  Passed on to jest. @param {boolean} isAll  Whether the long ones run as well.
 * @returns {Promise<number>} jest's exit code
 */
export async function runEndToEnd(args, env, isAll) {
  const folder = await mkdtemp(join(tmpdir(), "gatebench-failed-"));
  const failedFiles = join(folder, "files");
  try {
    // A list takes whatever stands behind it, and so comes last.
    const lists = ["--reporters=default", `--reporters=${reporter}`, ...(isAll ? [] : withoutLong)];
    const ended = await jest([...args, ...lists], { ...env, GATEBENCH_FAILED_FILES: failedFiles });
    // A jest that has not come to its end has named no files, and is not tried again.
    const files = ended === 1 && env.CI ? await linesOf(failedFiles) : [];
    if (files.length === 0 || files.length > SECOND_TRIES) return ended;
    say(`a second try of ${files.join(", ")}`);
    return await jest(["--runTestsByPath", ...files], env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const jest = (args, env) =>
  interactive(join(nodeModules, ".bin/jest"), ["--selectProjects=e2e", "--runInBand", "--passWithNoTests", ...args], {
    cwd: repository,
    env,
  });

const linesOf = (file) =>
  readFile(file, "utf8").then(
    (text) => text.split("\n").filter(Boolean),
    () => [],
  );
