import type { Host } from "../hosts/host";
import { byRole, hostsInRoles, mapRoles, roleFaults } from "./roles";

const machine = (name: string) => ({ name });
const all = {
  upstream: [machine("u1"), machine("u2")],
  gateway: machine("g"),
  generator: machine("l"),
  workers: [machine("w")],
  observer: machine("o"),
  services: [machine("s1"), machine("s2")],
};

test("machines are named by role, the first upstream as if it were alone", () => {
  expect(byRole(all).map(([role, { name }]) => `${role} ${name}`)).toEqual([
    ...["upstream u1", "upstream-2 u2", "gateway g", "generator l", "worker-1 w", "observer o"],
    ...["service-1 s1", "service-2 s2"],
  ]);
  expect(byRole({ upstream: machine("u"), generator: machine("l") }).map(([role]) => role)).toEqual([
    "upstream",
    "generator",
  ]);
});

test("hosts keep the roles of the machines they are made of", () => {
  const hosts = hostsInRoles(mapRoles(all, (role) => machine(role) as unknown as Host));
  expect(hosts).toEqual({
    ...{ upstream: machine("upstream"), upstreams: [machine("upstream"), machine("upstream-2")] },
    ...{ gateway: machine("gateway"), generator: machine("generator"), observer: machine("observer") },
    ...{ workers: [machine("worker-1")], services: [machine("service-1"), machine("service-2")] },
  });
});

test("a role that was left out is another's: nobody's is the gateway's, where there is one", () => {
  const roles = { upstream: machine("u"), gateway: machine("g"), generator: machine("l") };
  const { observer, services, workers, gateway } = hostsInRoles(
    mapRoles(roles, (role) => machine(role) as unknown as Host),
  );
  expect([observer, ...services, gateway].map(({ name }) => name)).toEqual(["generator", "upstream", "gateway"]);
  expect(workers).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ["no upstream", { upstream: [] }, /upstream is a list of 0 machines; give one machine, or a list of 1 to 16/],
  ["three services", { services: [1, 2, 3].map(() => machine("s")) }, /services is a list of 3 machines/],
])("%s is refused in one line", (_, changes, line) => {
  expect(roleFaults({ ...all, ...changes }).map(({ message }) => message)).toEqual([expect.stringMatching(line)]);
});
