import { authorizerPassword, authorizerPrograms, bindAddress, fileOf, folder, type Workload } from "../contract";
import { redisImage } from "./redis-image";

export interface BlacklistOptions {
  /** Ids (jti) of the tokens on it. */
  readonly ids: readonly string[];
  /** @default the pinned one */
  readonly version?: string;
  readonly limits?: Workload["limits"];
}

/** Redis with a blacklist: it reads the ids as its own log of commands before it answers anybody. */
export function blacklistRedis(
  { ids, version = redisImage.version, limits }: BlacklistOptions,
  port: number,
): Workload {
  return {
    name: "redis",
    role: "support",
    image: redisImage.of(version),
    versionCommand: ["redis-server", "--version"],
    command: ["sh", "-c", script, "sh", folder, fileOf("blacklist.aof"), fileOf("redis.conf")],
    programs: [authorizerPrograms[1]],
    files: { "redis.conf": redisConf(port), "blacklist.aof": ids.map(setCommand).join("") },
    ports: { redis: port },
    ...(limits ? { limits } : {}),
    openFiles: 16_384,
    readiness: { port },
  };
}

/** A copy, because a host may hand files out for reading only. */
const script = `set -e
data=$1/data/appendonlydir
rm -rf "$data" && mkdir -p "$data"
cp "$2" "$data/appendonly.aof.1.incr.aof"
echo "file appendonly.aof.1.incr.aof seq 1 type i" >"$data/appendonly.aof.manifest"
exec redis-server "$3"
`;

const redisConf = (port: number): string =>
  [
    `bind ${bindAddress}`,
    `port ${port}`,
    `requirepass "${authorizerPassword}"`,
    `dir "${folder}/data"`,
    "# The log is there for the blacklist to be read. Nothing is written to it later, as nothing is put on the list.",
    "appendonly yes",
    "appendfsync no",
    "auto-aof-rewrite-percentage 0",
    'save ""',
    "",
  ].join("\n");

/** As Redis writes its commands down. */
function setCommand(id: string): string {
  const words = ["SET", `blacklist:${id}`, "1"];
  return [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ""].join("\r\n");
}
