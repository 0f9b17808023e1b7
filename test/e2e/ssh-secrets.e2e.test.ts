/** What is secret over SSH: looked for in the state, all that is said, results, and on the machines. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import type { SshMachine } from "@gatebench/core/ssh";
import type { Scenario } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { nginx, tyk } from "@gatebench/gateways";
import { k6 } from "@gatebench/generators";
import { foundBelow, foundIn, needlesOf, plantedValues, recordsOf, withoutSecrets, type Needle } from "./planted";
import { benchProgram, openRig, type Bench, type Rig, type Seen } from "./rig";
import { openProgram } from "./program";
import { openMachines, roles, sshImages, type Role, type SshMachines } from "./ssh-machines";

jest.setTimeout(180_000);

const credentials = {
  ...plantedValues(),
  // Tyk takes it in a path.
  "consumer-1.key": "planted-key~4711.of_ours",
  "gateway.secret": "planted+gateway/secret==4711",
};
const keyed: Scenario = { name: "keyed", auth: "key" };
const secure: Scenario = { name: "secure", scheme: "https", auth: "key" };

let ssh: SshMachines;
let rig: Omit<Rig, "up">;
let wrongKey = "";
let needles: readonly Needle[];
let seen: Seen;

beforeAll(async () => {
  ssh = await openMachines([...sshImages, "tykio/tyk-gateway:v5.13.1", "redis:7.4.7", "grafana/k6:1.8.1"]);
  const file = join(ssh.twin.state, "key-of-nobody");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]);
  wrongKey = readFileSync(file, "utf8");
  needles = needlesOf({ ...credentials, "ssh.key": ssh.twin.privateKey, "ssh.wrong-key": wrongKey });
});
afterAll(() => ssh.twin.destroy());

beforeEach(() => (seen = { runs: [], verifications: {}, cells: {}, summary: "" }));

/** Whatever happened: nothing of it is said, stored or left. */
afterEach(async () => {
  const found = { state: await inState(), results: foundIn(JSON.stringify(seen), needles) };
  await rig.destroy();
  expect(found).toEqual({ state: [], results: [] });
  const events = rig.events.filter(({ diagnosticEvent }) => (diagnosticEvent?.severity as string) !== "debug");
  expect(foundIn(JSON.stringify([rig.output.join(""), events]), needles)).toEqual([]);
  for (const role of roles) expect({ role, ...onDisk(role) }).toEqual({ role });
  expect(await ssh.left()).toEqual({});
});

async function inState(): Promise<readonly string[]> {
  const state = withoutSecrets(await rig.stack.exportStack());
  const stored = Object.values(foundBelow(rig.backend, needles)).flat();
  return [...foundIn(JSON.stringify(state), needles), ...foundIn(recordsOf(state).join("\n"), needles), ...stored];
}

/** Files on a machine that hold a secret; what Docker keeps of its containers, their arguments and words, among them. */
function onDisk(role: Role): Readonly<Record<string, readonly string[]>> {
  const root = join(ssh.twin.state, "machines", ssh.machines[role].id, "root");
  const folders = ["var/lib/gatebench", "var/lib/docker/containers", "var/log", "home"];
  const found = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => Object.entries(foundBelow(join(root, folder), needles)));
  return Object.fromEntries(
    found.map(([path, names]) => [path, names.filter((name) => !isOwnKey(path, name))] as const),
  );
}

/** The machine lets its user in by the public half. */
const isOwnKey = (path: string, name: string): boolean =>
  path.endsWith("authorized_keys") && name.startsWith("ssh.key");

function planted(bench: Bench): PulumiFn {
  const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
  // hey, oha and wrk take headers as arguments, as their READMEs say; k6 takes them from its script.
  const made = benchProgram({ protocol, generator: k6(), ...bench }, () => ssh.site(credentials));
  seen = made.seen;
  return made.program;
}

async function preview(program: PulumiFn): Promise<void> {
  await rig.stack.preview({ program, onOutput: (text) => void rig.output.push(text) });
}

/** What Docker tells of every container that was there meanwhile: a tool's is gone with its run. */
async function inspecting(role: Role, what: () => Promise<void>): Promise<string> {
  const [file, going] = ["/var/tmp/inspected", "/var/tmp/inspect"];
  await ssh.on(role, `touch ${going}`);
  const look = `docker inspect $(docker ps -aq) >> ${file} 2> /dev/null; sleep 0.1`;
  const told = ssh.on(role, `while [ -e ${going} ]; do ${look}; done; sort -u ${file}; rm ${file}`);
  await what().finally(() => ssh.on(role, `rm ${going}`));
  return told;
}

const mayHoldValues = /(workloads\/[^/]+\/[^/]+|sessions\/[^/]+\/vaults\/[^/]+\.json)$/;

test("planted credentials are used, and stand nowhere in clear but where a workload or a job needs them", async () => {
  const opened = await openRig("ssh-secrets");
  rig = opened;
  const targets = { tyk: { adapter: tyk(), scenario: keyed }, nginx: { adapter: nginx(), scenario: secure } };
  await preview(planted({ targets }));
  let gatewayTold = "";
  const generatorTold = await inspecting("generator", async () => {
    gatewayTold = await inspecting("gateway", () => opened.up(planted({ targets })));
  });
  expect(seen.runs.map(({ outcome }) => Object.keys(outcome))).toEqual(Array(2).fill(["result"]));
  expect(Object.values(seen.cells).map(({ rps }) => rps)).toEqual(Array(2).fill(expect.any(Number)));
  await preview(planted({ targets }));
  expect(gatewayTold).toContain("tyk-gateway");
  expect(generatorTold).toContain("grafana/k6");
  expect(foundIn(gatewayTold + generatorTold, needles)).toEqual([]);
  const holders = roles.flatMap((role) => Object.keys(onDisk(role)));
  expect(holders.length).toBeGreaterThan(4);
  expect(holders.filter((path) => !mayHoldValues.test(path))).toEqual([]);
});

interface Failing {
  readonly what: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly machine?: () => Partial<SshMachine>;
  readonly says: string;
}

const failures: readonly Failing[] = [
  { what: "an image that is nowhere", env: { OPTIONS: '{"version":"0.0.1"}' }, says: "image-unavailable: nginx:0.0.1" },
  { what: "a gateway that does not start", env: { BROKEN: "true" }, says: "not-ready: nginx-nginx ended" },
  {
    what: "a key that opens nothing",
    machine: () => ({ privateKey: wrongKey, dials: 1 }),
    says: "ssh-refused: gateway ",
  },
  {
    what: "nobody who answers",
    machine: () => ({ port: 23, dials: 1 }),
    says: "ssh-refused: gateway ",
  },
];

test.each(failures)("a failing up does not say what it was given: $what", async ({ env, machine, says }) => {
  const given = { MACHINES: JSON.stringify(ssh.given(machine?.())), CREDENTIALS: JSON.stringify(credentials) };
  const opened = await openProgram("ssh-gateway", { ...env, ...given });
  rig = opened;
  const error = (await opened.up().catch((reason: Error) => reason)) as Error;
  expect(error).toBeInstanceOf(Error);
  expect(foundIn(`${error.message} ${error.stack}`, needles)).toEqual([]);
  expect(rig.output.join("")).toContain(says);
});
