import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import { lineOf } from "../contract";
import { MockedEngine, verbOf } from "../hosts/mocked-engine";
import { LocalTopology, localTopologyFaults } from "./local-topology";

/** Free in this test: nothing of ours listens so low. */
const portBase = 14_000;
const listening = (port: number) =>
  new Promise<Server>((resolve) => {
    const server = createServer().listen(port, "127.0.0.1", () => resolve(server));
  });

test("all roles stand on one host, which shares credentials and a queue", async () => {
  const engine = new MockedEngine();
  const site = await engine.run(() => new LocalTopology("site"));
  expect(new Set([site.upstream, site.gateway, site.generator, site.observer]).size).toBe(1);
  expect(site.gateway).toMatchObject({ kind: "local", address: "127.0.0.1", runs: ["containers"] });
  expect(site.gateway.site.topology).toBe("local");
});

test("a host gives each name a port of its own, the same each time", async () => {
  const ask = async () => {
    const site = await new MockedEngine().run(() => new LocalTopology("site", { portBase }));
    return { ...site.gateway.ports("a", ["entry", "status"]), other: site.gateway.ports("b", ["entry"]).entry };
  };
  const ports = Object.values(await ask());
  expect(Object.values(await ask())).toEqual(ports);
  expect(new Set(ports).size).toBe(3);
  expect(Math.min(...(ports as number[]))).toBeGreaterThanOrEqual(portBase);
  expect(Math.max(...(ports as number[]))).toBeLessThan(portBase + 400);
});

test("credentials are made once and kept secret; given ones are in no command", async () => {
  const engine = new MockedEngine();
  const credentials = { "consumer-1.key": "my-own-key" };
  const site = await engine.run(() => new LocalTopology("site", { credentials }));
  const made = engine.registered.filter(({ inputs }) => inputs.create && verbOf(inputs) === "make-material");
  expect(made.map(({ name, inputs }) => [name, inputs.stdin, inputs.update])).toEqual([
    ["site-credentials-material", "{}", "true"],
  ]);
  expect(JSON.stringify(engine.registered)).not.toContain("my-own-key");
  const values = site.gateway.site.credentials.values(["consumer-1.key", "consumer-1.username"]);
  expect(await pulumi.isSecret(values)).toBe(true);
});

test("a port in use is refused before anything is registered, with the name of whoever uses it", async () => {
  const server = await listening(portBase + 17);
  try {
    const line = `port-in-use: port ${portBase + 17} is used by ${processName()} (pid ${process.pid}), and the workloads here are to listen on ${portBase} to ${portBase + 399}. Stop it, or give another port base.`;
    expect(localTopologyFaults("site", portBase, { project: "p", stack: "s" }).map(lineOf)).toEqual([line]);
    const engine = new MockedEngine();
    const refused = await engine.run(() => {
      try {
        return new LocalTopology("site", { portBase });
      } catch (error) {
        return error as Error;
      }
    });
    expect(pulumi.RunError.isInstance(refused) && refused.message).toBe(line);
    expect(engine.registered).toEqual([]);
  } finally {
    server.close();
  }
});

const processName = () => readFileSync("/proc/self/comm", "utf8").trim();
