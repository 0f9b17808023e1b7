import {
  authorizerPassword,
  authorizerPrograms,
  authorizerSecret,
  bindAddress,
  type Address,
  type MetricsPage,
  type Ports,
  type Workload,
} from "../contract";
import { figures } from "./figures";
import { image } from "./image";

/** What the service is allowed; everything else is its own default (services/README.md). */
export interface ExtAuthzOptions {
  /**
   * Connections to Redis, and so look-ups at once.
   * @default 20, as published
   */
  readonly poolSize?: number;
  /** CPU and memory it may have; only containers can be given any. @default all of its host's */
  readonly limits?: Workload["limits"];
  /** An image of your own build, with its registry and tag; needed where containers are used. */
  readonly image?: string;
}

export const extAuthzPorts = ["grpc", "metrics"] as const;

/** The service of `services/ext-authz`: it checks a JWT, then a blacklist in Redis, for a gateway that asks over gRPC. */
export function extAuthz(
  { poolSize = 20, limits, image: own = image.of(image.version) }: ExtAuthzOptions,
  ports: Ports,
  redis: Address,
): Workload {
  return {
    name: "ext-authz",
    role: "support",
    image: own,
    // Its name on PATH, here and in its image.
    command: [authorizerPrograms[0]],
    env: {
      AUTH_BIND: bindAddress,
      AUTH_GRPC_PORT: `${ports.grpc}`,
      AUTH_METRICS_PORT: `${ports.metrics}`,
      AUTH_SECRET_KEY: authorizerSecret,
      AUTH_REDIS_URL: `redis://:${authorizerPassword}@${redis.host}:${redis.port}/0`,
      AUTH_REDIS_POOL_SIZE: `${poolSize}`,
    },
    ports,
    ...(limits ? { limits } : {}),
    openFiles: 65_536,
    readiness: { port: ports.metrics as number, path: "/healthz" },
  };
}

export const extAuthzMetrics = ({ metrics }: Ports): readonly MetricsPage[] => [
  { port: metrics as number, path: "/metrics", figures },
];
