import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Ajv from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { resultSchema, type Result } from "@gatebench/core";
import { foundBelow, foundIn, needlesOf, type Needle } from "./planted";
import { leftBehind } from "./rig";

jest.setTimeout(180_000);

const repository = join(__dirname, "..", "..");
const schemaFile = join(repository, "packages/core/schemas/result.v1.schema.json");
const places = join(process.env.XDG_STATE_HOME as string, "gatebench", "places");

let cwd: string;
let ended: { readonly code: number | null; readonly said: string };
/** The credentials of this bench, read where its gateways read them. */
const needles = new Map<string, Needle>();

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "gatebench-checkout-"));
  const options = ["--gateway", "nginx", "--scenario", "key-auth,basic-auth,tls-transactions", "--generator", "hey"];
  const small = ["--duration", "1s", "--repetitions", "1", "--connections", "4", "--json", "there/result.json"];
  const bench = [join(repository, "packages/matrix/dist/bin.js"), "bench", ...options, ...small];
  const child = spawn(process.execPath, bench, { cwd, env: { ...process.env } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text));
  let code: number | null | undefined;
  child.once("close", (status) => (code = status));
  while (code === undefined) {
    for (const needle of needlesOf(credentialsInUse())) needles.set(`${needle.name} ${needle.text}`, needle);
    await sleep(200);
  }
  ended = { code, said };
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function credentialsInUse(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of filesBelow(places)) {
    if (/workloads\/.*\/key\.pem$/.test(path)) found["certificate.key"] = read(path);
    if (/vaults\/.*\.json$/.test(path)) Object.assign(found, parsed(read(path)));
  }
  return found;
}

const read = (path: string): string => quietly(() => readFileSync(join(places, path), "utf8"), "");
const parsed = (text: string): object => quietly(() => JSON.parse(text) as object, {});
const filesBelow = (folder: string) => quietly(() => readdirSync(folder, { recursive: true, encoding: "utf8" }), []);

/** What is looked at may go away meanwhile. */
function quietly<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

const resultsFolder = (): string => join(cwd, "results", readdirSync(join(cwd, "results"))[0] as string);
const resultFiles = (): readonly string[] => [join(cwd, "there", "result.json"), join(resultsFolder(), "result.json")];

test("the result of a bench is what the published JSON Schema and the library's own schema say it is", () => {
  expect(ended).toMatchObject({ code: 0 });
  const validate = addFormats(new Ajv({ strict: false })).compile(JSON.parse(readFileSync(schemaFile, "utf8")));
  for (const file of resultFiles()) {
    const result = JSON.parse(readFileSync(file, "utf8")) as Result;
    expect(validate(result) || validate.errors).toBe(true);
    expect(resultSchema.parse(result)).toEqual(result);
    expect(result.cells.map(({ id, verdict }) => [id, verdict.rps])).toEqual([
      ["hey-key-auth/direct", "indicative"],
      ["hey-key-auth/nginx-key-auth", "indicative"],
      ["hey-key-auth/nginx-basic-auth", "indicative"],
      ["hey-tls-transactions/direct", "indicative"],
      ["hey-tls-transactions/nginx-tls-transactions", "indicative"],
    ]);
  }
});

test("every artifact of a run lies in the results folder, as its hash says", async () => {
  const { createHash } = await import("node:crypto");
  const raw = join(resultsFolder(), "raw");
  const kept = readdirSync(raw, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hashes = kept.map(({ parentPath, name }) =>
    createHash("sha256")
      .update(readFileSync(join(parentPath, name)))
      .digest("hex"),
  );
  const { cells } = JSON.parse(readFileSync(resultFiles()[0] as string, "utf8")) as Result;
  const artifacts = cells.flatMap(({ runs }) => runs.flatMap((run) => run.artifacts));
  expect(artifacts.length).toBeGreaterThan(10);
  expect(hashes.sort()).toEqual(artifacts.map(({ sha256 }) => sha256).sort());
});

test("no credential it used stands in what it said, stored or left", () => {
  const names = [...needles.values()].map(({ name }) => name);
  for (const name of ["consumer-1.key", "consumer-1.basicCredentials", "consumer-1.htpasswd", "certificate.key"])
    expect(names).toContain(`${name} as it is`);
  const all = [...needles.values()];
  expect(foundIn(ended.said, all)).toEqual([]);
  expect(foundBelow(cwd, all)).toEqual({});
  expect(leftBehind()).toEqual([]);
  expect(foundBelow(process.env.XDG_STATE_HOME as string, all)).toEqual({});
  expect(ended.said).toContain("<gatebench:consumer-1.key>");
});
