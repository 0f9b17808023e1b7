import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fault, lineOf } from "@gatebench/core";
import { keyFileOf } from "./key-file";
import { topologyName } from "./resolve-places";
import { readMatrix } from "./read-matrix";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "gatebench-matrix-")));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, text: string | Buffer): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const read = (text: string, name = "matrix.yaml") => readMatrix(written(name, text));
const refusal = (path: string): Promise<string> =>
  readMatrix(path).then(
    () => "it was not refused",
    (error: Error) => error.message.replaceAll(`${folder}/`, ""),
  );
const gateway = (name: string) =>
  `{ name: "${name}", version: "1", ports: ["entry"], supports: {}, render: () => ({}) }`;

describe("a matrix as it is shortest", () => {
  const matrix = read("name: first\ngateways: [nginx]\n");

  test("has everything else by default", async () => {
    const { name, gateways, scenarios, generators, loads, places, protocol, file } = await matrix;
    expect([name, gateways[0]?.adapter.name, generators[0]?.adapter.name]).toEqual(["first", "nginx", "wrk"]);
    expect(scenarios).toEqual([expect.objectContaining({ scenario: { name: "plain" }, connection: "keep-alive" })]);
    expect(loads).toEqual([{ name: "c32", load: { model: "closed", connections: 32, duration: "10s" } }]);
    expect(places.map(({ name, size }) => [name, size.name, size.workers])).toEqual([["local", "default", undefined]]);
    expect([protocol.name, protocol.maxRuns]).toEqual(["repeat(5)", 6]);
    expect(file).toMatchObject({ rounds: "kept", parallel: 1, seed: 1, upstream: "static-payload" });
  });

  test("is the same with a byte order mark, in JSON, and from a program", async () => {
    const same = [
      await read("\uFEFFname: first\ngateways: [nginx]\n"),
      await read('{ "name": "first", "gateways": ["nginx"] }', "matrix.json"),
      await read('const name: string = "first"; export default { name, gateways: ["nginx"] };', "matrix.ts"),
      await read('export const matrix = { name: "first", gateways: ["nginx"] };', "matrix.mjs"),
    ];
    for (const { file } of same) expect(file).toEqual((await matrix).file);
  });
});

test("anchors and merge keys are followed, and a fault stands where they do", async () => {
  const { gateways, withPositions } = await read(`name: x
gateways:
  - &mine
    gateway: tyk
    as: tyk-400
    options: { gogc: 400 }
  - <<: *mine
    as: tyk-800
    options: { gogc: 800 }
`);
  expect(gateways.map(({ adapter }) => adapter.name)).toEqual(["tyk-400", "tyk-800"]);
  const at = (...path: (string | number)[]) => {
    const [found] = withPositions([{ ...fault("invalid-option", "so."), at: path }]);
    return found && lineOf(found).replace(`${folder}/`, "");
  };
  expect(at("gateways", 1, "options", "gogc")).toBe("invalid-option: matrix.yaml:9:22: gateways[1].options.gogc: so.");
  expect(at("gateways", 1, "gateway")).toBe("invalid-option: matrix.yaml:4:14: gateways[1].gateway: so.");
  expect(at("loads", 0)).toBe("invalid-option: matrix.yaml:1:1: loads[0]: so.");
  expect(at()).toBe("invalid-option: matrix.yaml:1:1: so.");
});

describe("gateways", () => {
  test("have their options, and the name that tables call them", async () => {
    const { gateways } = await read(
      'name: x\ngateways: [nginx, { gateway: nginx, as: nginx-old, options: { version: "1.28.0" } }]\n',
    );
    expect(gateways.map(({ adapter }) => [adapter.name, adapter.version])).toEqual([
      ["nginx", expect.not.stringMatching(/^1\.28/)],
      ["nginx-old", "1.28.0"],
    ]);
    expect(gateways[1]?.asked).toEqual({ gateway: "nginx", as: "nginx-old", options: { version: "1.28.0" } });
  });

  test("of somebody else's are found from the file's folder, and take options too", async () => {
    mkdirSync(join(folder, "deep"), { recursive: true });
    written("mine.js", `exports.mine = ({ tag = "1" } = {}) => ({ ...${gateway("mine")}, version: tag });`);
    const { gateways } = await readMatrix(
      written("deep/matrix.yaml", 'name: x\ngateways: [{ gateway: ../mine.js, options: { tag: "7" } }, nginx]\n'),
    );
    expect(gateways.map(({ adapter }) => [adapter.name, adapter.version])).toContainEqual(["mine", "7"]);
  });

  test("of somebody else's have no options that they never read", async () => {
    written("strict.js", `exports.mine = ({ tag } = {}) => ({ ...${gateway("mine")}, version: tag ?? "1" });`);
    const path = written("matrix.yaml", "name: x\ngateways: [{ gateway: ./strict.js, options: { tga: 7 } }]\n");
    expect(await refusal(path)).toBe(
      "unknown-key: matrix.yaml:2:47: gateways[0].options.tga: mine has no such option; did you mean tag? It reads: tag.",
    );
  });

  test("that list all their options may be given any", async () => {
    written("open.js", `exports.mine = (options) => ({ ...${gateway("mine")}, options: { ...options } });`);
    const { gateways } = await read("name: x\ngateways: [{ gateway: ./open.js, options: { any: 7 } }]\n");
    expect(gateways[0]?.adapter).toMatchObject({ options: { any: 7 } });
  });

  test("keep what they are under another name, also those of a class", async () => {
    written(
      "class.js",
      `class Mine { name = "mine"; version = "1"; ports = ["entry"]; supports = {}; render() { return this.name; } }
       exports.mine = new Mine();`,
    );
    const { gateways } = await read("name: x\ngateways: [{ gateway: ./class.js, as: theirs }]\n");
    expect(gateways[0]?.adapter.render(undefined as never, undefined as never)).toBe("theirs");
  });

  test("of a program may be adapters themselves", async () => {
    const text = `const mine = ${gateway("mine")};
      export default { name: "x", gateways: ["nginx", mine, { gateway: mine, as: "mine-again" }] };`;
    const { gateways } = await read(text, "matrix.ts");
    expect(gateways.map(({ adapter }) => adapter.name)).toEqual(["nginx", "mine", "mine-again"]);
  });
});

test("a generator has its script, its workers and its options", async () => {
  written("mine.lua", "request = function() return wrk.format() end\n");
  const { generators } = await read(`name: x
gateways: [nginx]
generators:
  - { generator: wrk, script: mine.lua, as: wrk-mine }
  - { generator: locust, workers: 2, options: { client: http } }
`);
  expect(generators.map(({ adapter, workers }) => [adapter.name, adapter.reports.requests, workers])).toEqual([
    ["wrk-mine", "one", 0],
    ["locust", "many", 2],
  ]);
});

test("a scenario in full stands beside those by name; its connections are its own", async () => {
  const { scenarios } = await read(`name: x
gateways: [nginx]
scenarios: [tls-transactions, { name: reopened, connection: per-request }, { name: kept, routes: 3 }]
`);
  expect(scenarios.map(({ scenario, connection }) => [scenario.name, connection])).toEqual([
    ["tls-transactions", "per-request"],
    ["reopened", "per-request"],
    ["kept", "keep-alive"],
  ]);
  expect(scenarios[2]?.scenario).toEqual({ name: "kept", routes: 3 });
});

test.each<[loads: string, names: readonly string[]]>([
  ["[{ connections: 32 }]", ["c32"]],
  ["[{ connections: 50, pacePerConnection: 1500 }]", ["c50x1500"]],
  ["[{ ratePerS: 2000 }, { users: 200 }, { users: 50, iterations: 100 }]", ["r2000", "u200", "u50x100"]],
  ["[{ duration: 10s }, { duration: 5m }, { connections: 8 }]", ["c32-10s", "c32-5m", "c8"]],
  ["[{}, { threads: 4 }, { threads: 4, duration: 5s }]", ["c32-10s", "c32-10s-t4", "c32-5s-t4"]],
  ["[{ ratePerS: 5, maxInFlight: 8 }, { ratePerS: 5 }]", ["r5-m8", "r5-m32"]],
  [
    "[{ users: 5 }, { users: 5, think: 1s-3s }, { users: 5, think: 2s, spawnPerS: 2, startWithin: 9s, spread: normal }]",
    ["u5", "u5-think1s-3s", "u5-spawn2-within9s-think2s-normal"],
  ],
])("the loads %s are called %j", async (text, names) => {
  const { loads } = await read(`name: x\ngateways: [nginx]\nloads: ${text}\n`);
  expect(loads.map(({ name }) => name)).toEqual(names);
});

test("a load has no word of connections: a scenario decides", async () => {
  const { loads } = await read("name: x\ngateways: [nginx]\nloads: [{ users: 5, iterations: 2, startWithin: 1s }]\n");
  expect(loads[0]?.load).toStrictEqual({ model: "iterations", users: 5, perUser: 2, startWithin: "1s" });
});

test("places are called by topology and size", async () => {
  const { places } = await read(`name: x
gateways: [nginx]
topologies:
  - { kind: local, sizes: [1, 2] }
  - { kind: local, as: again }
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large, { instanceType: c5.xlarge, workers: 2 }]
budgetUsd: 5
`);
  expect(places.map(({ name, topology, size }) => [name, topologyName(topology), size])).toEqual([
    ["local-1", "local", { name: "1", workers: 1, instanceType: undefined }],
    ["local-2", "local", { name: "2", workers: 2, instanceType: undefined }],
    ["again", "again", { name: "default", workers: undefined, instanceType: undefined }],
    ["ec2-c5.large", "ec2", { name: "c5.large", workers: undefined, instanceType: "c5.large" }],
    ["ec2-c5.xlarge-2", "ec2", { name: "c5.xlarge-2", workers: 2, instanceType: "c5.xlarge" }],
  ]);
});

test("a key is found from the file's folder, and from one's own", async () => {
  written("id_test", "");
  const machine = "{ host: a, user: me, address: a, cpus: 2 }";
  const rig = `upstream: ${machine}, gateway: ${machine}, generator: ${machine}`;
  const { places } = await read(
    `name: x\ngateways: [nginx]\ntopologies: [{ kind: ssh, privateKeyFile: id_test, ${rig} }]\n`,
  );
  expect(places[0]?.topology).toMatchObject({ privateKeyFile: join(folder, "id_test") });
  expect(keyFileOf("~/.ssh/id_test", folder)).toBe(join(homedir(), ".ssh", "id_test"));
});

test.each<[words: string, name: string, runs: number]>([
  ["repetitions: 3", "repeat(3)", 4],
  ["repetitions: 3\nwarmUp: 0s", "repeat(3)", 3],
  ["repetitions: 3\nrounds: redeployed", "repeat(1)", 2],
  ["repetitions: 7\nprotocol: until-stable", expect.stringMatching(/^until-stable|^untilStable/) as never, 8],
  ["protocol: saturate", "saturate(16 to 512 connections)", 12],
])("%j is carried out as %s", async (words, name, runs) => {
  const { protocol } = await read(`name: x\ngateways: [nginx]\n${words}\n`);
  expect(protocol).toMatchObject({ name, maxRuns: runs });
});

test("machines on EC2 are each lane's own, and lanes on them may be under way at once", async () => {
  const { file } = await read(`name: x
gateways: [nginx]
topologies:
  - kind: ec2
    region: eu-central-1
    sshFrom: 203.0.113.7/32
    upstream: c5.large
    generator: c5.xlarge
    sizes: [c5.large, c5.xlarge]
budgetUsd: 5
parallel: 2
`);
  expect(file.parallel).toBe(2);
});

describe("a file that is none", () => {
  test.each<[why: string, path: () => string, line: string]>([
    [
      "is not there",
      () => join(folder, "nowhere.yaml"),
      "nowhere.yaml: there is no such file. Give its path from the working folder.",
    ],
    [
      "is a folder",
      () => (mkdirSync(join(folder, "folder.yaml")), join(folder, "folder.yaml")),
      "folder.yaml: this is a folder. Name the file in it.",
    ],
    [
      "has another ending",
      () => written("matrix.txt", "name: x"),
      "matrix.txt: a matrix file ends in .yaml, .yml, .json, .ts, .mts, .cts, .js, .mjs, .cjs. Rename it.",
    ],
    [
      "is far too big",
      () => written("big.yaml", "#".repeat(1_100_000)),
      "big.yaml: it has 1100000 bytes, and a matrix at most 1048576. Is it the right file?",
    ],
    [
      "is in another encoding",
      () => written("latin.yaml", Buffer.from("name: x\ngateways: [caf\xe9]\n", "latin1")),
      "latin.yaml:2:15: the text is not UTF-8. Save it as UTF-8.",
    ],
    [
      "is a program with a mistake",
      () => written("broken.ts", 'export default {\n  name: "x"\n  gateways: [] };\n'),
      'broken.ts:3:3: this cannot be compiled: Expected "}" but found "gateways".',
    ],
    [
      "is a program that throws",
      () => written("throws.ts", 'throw new Error("not today\\nnor ever");'),
      "throws.ts: it fails when it is run: not today.",
    ],
    [
      "is a program without a matrix",
      () => written("other.ts", "export const other = 1;"),
      'other.ts: it exports no matrix. Write "export default { name: …, gateways: … }".',
    ],
    [
      "is a program with a wrong value",
      () => written("wrong.ts", 'export default { name: "x", gateways: [{ gateway: "nginx", as: "A" }] };'),
      'wrong.ts: gateways[0].as: "A" is not a name: small letters, digits and hyphens, at most 40, such as "nginx-tuned".',
    ],
  ])("%s", async (_, path, line) => expect(await refusal(path())).toBe(`invalid-matrix: ${line}`));
});
