/** External authorization for real: Locust's users, Envoy, our ext-authz and Redis, each of which counts by itself. */
import { resultOf, type Run } from "@gatebench/core";
import { authorizedProgram, type Authorized } from "./authorized";
import { asked, figureIn, type ObservedSeen } from "./observed";
import { leftBehind, openRig, type Rig, type Seen } from "./rig";
import { processesOf } from "./tools";

jest.setTimeout(240_000);

const state = process.env.XDG_STATE_HOME as string;
const users = 40;

let rig: Rig;
beforeEach(async () => void (rig = await openRig("authorization")));
afterEach(async () => {
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
  expect(processesOf(state)).toEqual([]);
});

const onlyRun = ({ runs }: Seen): Run => {
  expect(runs).toHaveLength(1);
  return runs[0] as Run;
};
const figure = (run: Run, name: string): number => {
  const value = figureIn(run, `authorizer-${name}`);
  if (typeof value === "string") throw new Error(`authorizer-${name}: ${value}`);
  return value;
};

/** Of the dashboard of the authorization, which Grafana would show. */
async function panelsWithoutData({ observatory, url = "" }: ObservedSeen): Promise<readonly string[]> {
  const { panels = [] } = observatory?.dashboards.find(({ name }) => name === "authorizer") ?? {};
  expect(panels.length).toBeGreaterThan(12);
  const empty = await Promise.all(
    panels.map(async ({ title, query }) =>
      (await asked(url, query.replaceAll("$__rate_interval", "30s"))).length > 0 ? [] : [title],
    ),
  );
  return empty.flat();
}

/** Each in a life of its own, so that its counters begin anew. */
async function measured(asked: Authorized): Promise<Run> {
  const { program, seen } = authorizedProgram(asked);
  await rig.up(program);
  await rig.destroy();
  rig = await openRig("authorization");
  return onlyRun(seen);
}

describe.each(["header", "cookie"] as const)("a token in a %s", (credential) => {
  test("passes or is refused by what it is, and everybody who counts agrees", async () => {
    const { program, seen } = authorizedProgram({ users, duration: "8s", credential });
    await rig.up(program);
    const laws = Object.values(seen.verifications).flatMap((one) => one.laws);
    const findings = Object.fromEntries(laws.map(({ law, finding }) => [law, finding]));
    expect(laws.filter(({ finding }) => finding.verdict === "broken")).toEqual([]);
    for (const law of [
      "answers with the expected status",
      "refuses a wrong credential",
      "refuses a missing credential",
      "refuses an expired token",
      "refuses a token on the blacklist",
    ])
      expect([law, findings[law]]).toEqual([law, { verdict: "held" }]);

    const run = onlyRun(seen);
    const result = resultOf(run);
    expect(result?.responses).toBeGreaterThan(500);
    expect(result?.statuses).toEqual({ "200": result?.responses });
    expect(run.warnings.filter(({ cap }) => cap === "invalid")).toEqual([]);
    const [locust, gateway] = [result?.responses ?? NaN, run.counters?.gateway?.requests ?? NaN];
    expect(Math.abs(gateway - locust)).toBeLessThanOrEqual(users);
    expect(Math.abs(figure(run, "requests") - gateway)).toBeLessThanOrEqual(users);
    // Each series is drawn out to the edges of the window by itself.
    expect(figure(run, "allowed")).toBeGreaterThan(0.995);
    expect(figure(run, "redis-errors")).toBe(0);
    expect(figure(run, "mean")).toBeGreaterThan(figure(run, "redis-mean"));
    expect(figure(run, "redis-mean")).toBeGreaterThan(figure(run, "jwt-mean"));
    expect(run.hosts.flatMap(({ workloads }) => workloads.map(({ name }) => name))).toEqual(
      expect.arrayContaining([expect.stringContaining("redis"), expect.stringContaining("ext-authz")]),
    );
    expect(await panelsWithoutData(seen)).toEqual([]);
  });
});

test("with a Redis on another node a pool of one connection is the bottleneck, and checking tokens is not", async () => {
  const load = { users, duration: "8s", credential: "cookie", redisAwayMs: 5 } as const;
  const [of20, of1] = [await measured({ ...load, poolSize: 20 }), await measured({ ...load, poolSize: 1 })];

  // A look-up takes the way there and back; with one connection it waits for all that came before it, too.
  expect(figure(of20, "redis-mean")).toBeLessThan(0.05);
  expect(figure(of1, "redis-mean")).toBeGreaterThan(3 * figure(of20, "redis-mean"));
  expect(figure(of1, "pool-wait")).toBeGreaterThan(10 * figure(of20, "pool-wait"));
  // It does no more than one look-up after another can, each of 5 ms at least.
  expect(figure(of1, "rps")).toBeLessThan(200);
  expect(figure(of20, "rps")).toBeGreaterThan(1.3 * figure(of1, "rps"));
  // Tokens are checked as quickly as before, in a hundredth of the time of a decision.
  expect(figure(of1, "jwt-mean")).toBeLessThan(3 * figure(of20, "jwt-mean"));
  expect(figure(of1, "jwt-mean")).toBeLessThan(0.01 * figure(of1, "mean"));
});
