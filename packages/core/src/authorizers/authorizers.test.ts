import { figureFaults } from "../contract";
import { blacklistRedis, extAuthz, extAuthzFigures } from ".";

const ports = { grpc: 1001, metrics: 1002 };

test("Redis reads the blacklist as its own commands, whatever the ids are made of", () => {
  const { files } = blacklistRedis({ ids: ["one", "größer"] }, 1003);
  expect(files?.["blacklist.aof"]).toBe(
    "*3\r\n$3\r\nSET\r\n$13\r\nblacklist:one\r\n$1\r\n1\r\n*3\r\n$3\r\nSET\r\n$18\r\nblacklist:größer\r\n$1\r\n1\r\n",
  );
});

test("the service is told where Redis is, and secrets only by reference", () => {
  const { env, limits } = extAuthz({ poolSize: 3 }, ports, { host: "10.0.0.3", port: 1003 });
  expect(env).toEqual({
    AUTH_BIND: "<gatebench:bind>",
    AUTH_GRPC_PORT: "1001",
    AUTH_METRICS_PORT: "1002",
    AUTH_SECRET_KEY: "<gatebench:authorizer.secret>",
    AUTH_REDIS_URL: "redis://:<gatebench:authorizer.password>@10.0.0.3:1003/0",
    AUTH_REDIS_POOL_SIZE: "3",
  });
  expect(limits).toBeUndefined();
  expect(extAuthz({ limits: { cpu: 0.2, memory: "128Mi" } }, ports, { host: "h", port: 1 })).toMatchObject({
    limits: { cpu: 0.2, memory: "128Mi" },
    env: { AUTH_REDIS_POOL_SIZE: "20" },
  });
});

test("its figures are PromQL, each with a name of its own", () => {
  const declared = extAuthzFigures.map((figure) => ({ figure, whose: "service" as const, by: "authorizer" }));
  expect(declared.length).toBeGreaterThan(10);
  expect(figureFaults(declared)).toEqual([]);
});
