/** What the engine is told of an authorizer, and of a gateway that asks it. */
import * as pulumi from "@pulumi/pulumi";
import type { ContainerDeployment, ResolvedScenario, Scenario } from "../contract";
import { MockedEngine, orderIn, plain, type Registered } from "../hosts/mocked-engine";
import { repeat } from "../measure";
import { fakeGateway, fakeGenerator, fakeOutput } from "../testing";
import { LocalTopology } from "../topologies/local-topology";
import { SshTopology, type SshMachine } from "../topologies/ssh-topology";
import { staticPayload } from "../upstreams";
import { Authorizer, type AuthorizerArgs } from "./authorizer";
import { Benchmark } from "./benchmark";
import { GatewayUnderTest } from "./gateway-under-test";
import { LoadGenerator } from "./load-generator";
import { Observatory } from "./observatory";
import { UpstreamHost } from "./upstream-host";

/** The live laws have tests of their own. */
jest.mock("../laws", () => ({
  ...jest.requireActual<object>("../laws"),
  verificationOf: (target: string) => ({ target, laws: [{ law: "keeps the law", finding: { verdict: "held" } }] }),
}));

const scenario: Scenario = { name: "login", auth: "external" };
const portBase = 14_800;

/** It writes down whom it asks, and its requests carry a token. */
function asking() {
  const { supports, render } = fakeGateway();
  return fakeGateway({
    supports: { ...supports, auth: ["external"] },
    render: (asked: ResolvedScenario, site) => {
      const made = render(asked, site) as ContainerDeployment;
      const workloads = made.workloads.map((one) => ({ ...one, env: { ASKS: JSON.stringify(site.authorizer) } }));
      const headers = { authorization: `Bearer ${site.consumers[0]?.jwt}` };
      return { ...made, workloads, requests: made.requests.map((one) => ({ ...one, headers })) };
    },
  });
}

function declare(args: Partial<AuthorizerArgs> = {}, isObserved = false) {
  const site = new LocalTopology("site", { portBase });
  const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
  const authorizer = new Authorizer("authorizer", { host: site.gateway, ...args });
  const target = new GatewayUnderTest("gateway", {
    ...{ host: site.gateway, adapter: asking(), upstream, scenario, authorizer },
  });
  const generator = new LoadGenerator("load", { host: site.generator, adapter: fakeGenerator() });
  const watches = [upstream, target, generator, authorizer];
  new Benchmark("bench", {
    ...{ generator, target, load: { model: "closed", connections: 8, duration: "10s" } },
    protocol: repeat({ runs: 1, warmUp: false, coolDown: "0s" }),
    ...(isObserved ? { observatory: new Observatory("observatory", { host: site.observer, watches }) } : {}),
  });
  return authorizer;
}

async function engineAfter(program: () => unknown): Promise<MockedEngine> {
  const engine = new MockedEngine(() => fakeOutput());
  await engine.run(program);
  return engine;
}

const stdinOf = ({ inputs }: Registered) => plain(inputs.stdin) as string;
const workloadOf = (one: Registered) =>
  (JSON.parse(stdinOf(one)) as { workload: { env: Record<string, string>; ports: Record<string, number> } }).workload;

describe("beside a gateway", () => {
  let engine: MockedEngine;
  beforeAll(async () => void (engine = await engineAfter(() => declare({ poolSize: 2 }))));

  test("is Redis and, after it, the service, which knows where Redis is", () => {
    const [redis, service] = ["authorizer-redis", "authorizer-ext-authz"].map((name) => engine.named(name));
    expect([redis?.parent, service?.parent]).toEqual(["authorizer", "authorizer"]);
    expect(service?.dependsOn).toContain("authorizer-redis");
    const port = workloadOf(redis as Registered).ports.redis;
    expect(workloadOf(service as Registered).env).toMatchObject({
      AUTH_REDIS_URL: `redis://:<gatebench:authorizer.password>@127.0.0.1:${port}/0`,
      AUTH_REDIS_POOL_SIZE: "2",
    });
  });

  test("is where the gateway asks", () => {
    const { ports } = workloadOf(engine.named("authorizer-ext-authz"));
    expect(workloadOf(engine.named("gateway-fake")).env.ASKS).toBe(
      JSON.stringify({ host: "127.0.0.1", port: ports.grpc }),
    );
  });

  test("is looked at in each run, and its CPU counted as what stands beside", () => {
    const { probed, watched } = orderIn(stdinOf(engine.named("bench-fake-1")));
    const names = ["authorizer-redis", "authorizer-ext-authz"];
    expect(probed.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(watched.filter(({ role }) => role === "support").map(({ name }) => name)).toEqual(names);
  });

  test("has tokens that the probes may send and outputs must not show", () => {
    const kept = stdinOf(engine.named("bench-fake-values"));
    for (const part of ["jwt", "expiredJwt", "blacklistedJwt"]) expect(kept).toContain(`"consumer-1.${part}"`);
    expect(kept).not.toContain("authorizer.secret");
  });
});

test("an observatory asks for its figures by its own scrape job", async () => {
  const engine = await engineAfter(() => declare({}, true));
  const { figures = [] } = orderIn(stdinOf(engine.named("bench-fake-1"))).observatory ?? {};
  const queries = Object.fromEntries(figures.map(({ figure }) => [figure.name, figure.query]));
  expect(queries["authorizer-requests"]).toBe('ext_authz_requests_total{job="authorizer-authorizer"}');
});

test("the identity of a gateway follows whom it asks", async () => {
  const identityWith = async (poolSize: number) =>
    (await engineAfter(() => declare({ poolSize }))).named("gateway").outputs?.identity;
  expect(await identityWith(1)).toBe(await identityWith(1));
  expect(await identityWith(1)).not.toBe(await identityWith(2));
});

describe("is refused in one line", () => {
  async function linesOf(program: () => unknown): Promise<string> {
    let lines = "";
    await engineAfter(() => {
      try {
        program();
      } catch (error) {
        if (!pulumi.RunError.isInstance(error)) throw error;
        lines = error.message;
      }
    });
    return lines;
  }

  test.each([0, 1.5, 10_001])("with a pool of %s", async (poolSize) =>
    expect(await linesOf(() => declare({ poolSize }))).toBe(
      `invalid-option: authorizer "authorizer" cannot have a pool of ${poolSize} connections; give a whole number from 1 to 10000.`,
    ),
  );

  test("with an id that cannot be one", async () =>
    expect(await linesOf(() => declare({ blacklist: ["fine", "not fine"] }))).toBe(
      'invalid-option: authorizer "authorizer" cannot have the id "not fine" on its blacklist; an id has no spaces and is not empty.',
    ));

  test("on machines that would have to pull an image", async () => {
    const machine: SshMachine = {
      ...{ host: "203.0.113.1", address: "10.0.0.1", user: "me", privateKey: "the-key", cpus: 2 },
    };
    const program = () => {
      const site = new SshTopology("rig", { upstream: machine, gateway: machine, generator: machine });
      new Authorizer("authorizer", { host: site.gateway });
    };
    expect(await linesOf(program)).toMatch(
      /^invalid-option: authorizer "authorizer" needs an image on host \S+, and no public registry has one\. Build it from services\/Dockerfile for a registry of yours, and give it as "image"\.$/,
    );
  });

  test("where a gateway is to ask one and has none", async () => {
    const program = () => {
      const site = new LocalTopology("site", { portBase });
      const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
      new GatewayUnderTest("gateway", { host: site.gateway, adapter: asking(), upstream, scenario });
    };
    expect(await linesOf(program)).toBe(
      'invalid-option: fake asks an authorizer about each request of scenario "login", and there is none. Give the gateway one as "authorizer", or drop auth.',
    );
  });
});
