import { bindAddress, fileOf, type Workload } from "@gatebench/core/contract";
import { lines } from "./configuration-text";
import { redisImage } from "./redis-image";

/** Redis beside a gateway, for counts that are shared. Siblings reach it at `addressOf("redis")`. */
export function redis(version: string, port: number): Workload {
  return {
    name: "redis",
    role: "support",
    image: redisImage.of(version),
    versionCommand: ["redis-server", "--version"],
    command: ["redis-server", fileOf("redis.conf")],
    files: { "redis.conf": redisConf(port) },
    ports: { redis: port },
    openFiles: 65_536,
    readiness: { port },
  };
}

const redisConf = (port: number) =>
  `${lines(
    `bind ${bindAddress}`,
    `port ${port}`,
    "# Without a password Redis would otherwise answer its own machine only. It holds counts, and nothing else.",
    "protected-mode no",
    "# Nothing is worth keeping; a snapshot forks the process and would be measured as latency.",
    'save ""',
    "appendonly no",
  )}\n`;
