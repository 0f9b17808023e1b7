import { bindAddress, fileOf, gatewaySecret, type GatewaySite, type Workload } from "@gatebench/core/contract";
import { lines } from "../configuration-text";

/** Redis for keys, analytics and shared limits; it starts before Tyk. */
export function redis(image: string, { ports }: GatewaySite): Workload {
  const port = ports.redis as number;
  return {
    name: "redis",
    role: "support",
    image,
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
    "# Nothing goes to disk: writes would be measured as latency.",
    'save ""',
    "appendonly no",
    "# Analytics nobody takes away end here, before the machine's memory does. Keys have no expiry, so they stay.",
    "maxmemory 1gb",
    "maxmemory-policy volatile-ttl",
    "",
  );
