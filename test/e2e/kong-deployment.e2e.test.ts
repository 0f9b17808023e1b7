/**
 * Kong cannot be had here, so its deployment is carried out with a stand-in for its program, here and in the twin's image
 * (test/twin): Redis is real, and kong.conf and the declarative file are read and enforced as far as the live laws look.
 */
import { join } from "node:path";
import { broken, resultOf, type LoadResult, type Scenario, type Verification } from "@gatebench/core";
import { scenarios as named } from "@gatebench/core/contract";
import { repeat } from "@gatebench/core/measure";
import { kong } from "@gatebench/gateways";
import { alteredWorkload } from "./altered";
import { SshTopology, type SshMachine } from "@gatebench/core/ssh";
import { benchProgram, leftBehind, openRig, type Rig } from "./rig";
import { machinesIn, openTwin, type Machine, type Twin } from "./twin";

jest.setTimeout(180_000);

const standIn = alteredWorkload(kong(), (workload) =>
  workload.name === "kong" ? { ...workload, programs: ["node"], versionCommand: undefined, command } : workload,
);
const command = ["node", join(__dirname, "kong-stand-in", "kong.cjs"), "start", "-c", "<gatebench:file.kong.conf>"];

const publishedNames = ["plain", "key-auth", "basic-auth", "rate-limit", "key-auth-rate-limit", "routes-100", "https"];
const tight = { requests: 20, per: "1s" } as const;

const published = publishedNames.map((name) => (named[name] as { scenario: Scenario }).scenario);
const others: readonly Scenario[] = [
  { name: "limited", rateLimit: { ...tight, scope: "gateway", store: "local" } },
  { name: "limited-in-redis", auth: "key", rateLimit: { ...tight, scope: "consumer", store: "redis" } },
  { name: "limited-by-route", routes: 2, rateLimit: { ...tight, scope: "route", store: "local" } },
  { name: "resumed", scheme: "https", tls: { version: "1.3", resumption: true } },
];

let rig: Rig;
afterEach(async () => {
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});

/** How each law was found, by scenario. */
async function measured(asked: readonly Scenario[], upstream = {}) {
  rig = await openRig("kong");
  const { program, seen } = benchProgram({
    targets: Object.fromEntries(asked.map((scenario) => [scenario.name, { adapter: standIn, scenario }])),
    protocol: repeat({ runs: 1, warmUp: false, coolDown: "0s" }),
    upstream,
  });
  await rig.up(program);
  for (const { name } of asked) expect([name, broken(seen.verifications[name] as Verification)]).toEqual([name, []]);
  return seen;
}

test("every published scenario is verified, and every request of its load is let through", async () => {
  const { runs } = await measured(published);
  expect(runs).toHaveLength(published.length);
  for (const { responses, statuses } of runs.map((run) => resultOf(run) as LoadResult)) {
    expect(responses).toBeGreaterThan(0);
    expect(statuses).toEqual({ "2xx-3xx": responses });
  }
});

test("limits low enough to be exceeded are enforced, wherever they are counted, and sessions resumed where they may be", async () => {
  const { verifications } = await measured(others);
  const tested = others.map(({ name }) => [
    name,
    findingOf(verifications[name] as Verification, "enforces the rate limit"),
  ]);
  expect(Object.fromEntries(tested)).toEqual({
    ...{ limited: "held", "limited-in-redis": "held", "limited-by-route": "held", resumed: undefined },
  });
});

const findingOf = ({ laws }: Verification, law: string) => laws.find((one) => one.law === law)?.finding.verdict;

test("two upstreams are reached, in turn or the less busy first", async () => {
  const { verifications } = await measured(
    [
      { name: "in-turn", balancing: "round-robin" },
      { name: "less-busy", balancing: "least-connections" },
    ],
    { count: 2 },
  );
  for (const verification of Object.values(verifications))
    expect(findingOf(verification, "reaches every upstream")).toBe("held");
  expect(findingOf(verifications["in-turn"] as Verification, "splits requests evenly")).toBe("held");
});

describe("in containers on machines of their own", () => {
  const images = [
    "node:22.12.0-bookworm-slim",
    "nginx:1.30.4",
    "nicolaka/netshoot:v0.14",
    "gatebench/wrk:4.1.0",
    "kong:3.9.3",
  ];
  let twin: Twin;
  let machines: readonly Machine[];

  beforeAll(async () => {
    twin = openTwin();
    const key = `${twin.state}/key.pub`;
    machines = machinesIn(await twin.command("create", "--count", "3", "--key", key, "--images", images.join(" ")));
  });
  afterAll(() => twin.destroy());

  const reached = ({ publicIp, privateIp, user }: Machine): SshMachine => ({
    ...{ host: publicIp, user, privateKey: twin.privateKey, address: privateIp, cpus: 2 },
  });

  function site(): SshTopology {
    const [upstream, gateway, generator] = machines.map(reached) as [SshMachine, SshMachine, SshMachine];
    return new SshTopology("site", { upstream, gateway, generator });
  }

  test("its image is started as Kong's is, and says in its version and its label that it is a stand-in", async () => {
    rig = await openRig("kong-ssh");
    const scenario: Scenario = { name: "key-auth", auth: "key" };
    const { program, seen } = benchProgram({ targets: { kong: { adapter: kong(), scenario } } }, site);
    await rig.up(program);
    expect(broken(seen.verifications.kong as Verification)).toEqual([]);
    expect(seen.cells.kong?.rps).toBeGreaterThan(0);
    const { publicIp } = machines[1] as Machine;
    const label = `docker image inspect kong:3.9.3 --format '{{index .Config.Labels "gatebench.stand-in-for"}}'`;
    expect(await twin.ssh(publicIp, label)).toMatchObject({ stdout: "Kong Gateway\n" });
    const version = await twin.ssh(publicIp, "docker run --rm kong:3.9.3 kong version");
    expect(version).toMatchObject({ stdout: "stand-in for Kong Gateway, of gatebench's tests\n" });
  });
});
