import { bindAddress, fileOf, gatewaySecret, type Workload } from "@gatebench/core/contract";
import { lines } from "./configuration-text";
import { redisImage } from "./redis-image";

/**
 * Redis beside a gateway, for counts that are shared, keys and analytics. Siblings reach it at `addressOf("redis")`, with
 * `gatewaySecret` as password.
 */
export function redis(version: string, port: number): Workload {
  return {
    name: "redis",
    role: "support",
    image: redisImage.of(version),
    versionCommand: ["redis-server", "--version"],
    command: ["redis-server", fileOf("redis.conf")],
    files: { "redis.conf": redisConf(port) },
    ports: { redis: port },
    openFiles: 16_384,
    readiness: { port },
  };
}

const redisConf = (port: number) =>
  lines(
    `bind ${bindAddress}`,
    `port ${port}`,
    `requirepass "${gatewaySecret}"`,
    "# Nothing goes to disk: a snapshot forks the process, and writes would be measured as latency.",
    'save ""',
    "appendonly no",
    "# Analytics nobody takes away end here, before the machine's memory does. Keys have no expiry, so they stay.",
    "maxmemory 1gb",
    "maxmemory-policy volatile-ttl",
    "",
  );
