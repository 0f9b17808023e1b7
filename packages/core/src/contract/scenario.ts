import { z } from "zod";
import type { Duration } from "./duration";
import { durationSchema } from "./duration-schema";
import { fault, type Fault } from "./fault";

/** The TLS a gateway serves. Two gateways are compared only with the same profile. */
export interface TlsProfile {
  readonly version: "1.2" | "1.3";
  /** OpenSSL's name. A TLS 1.2 cipher has no effect under 1.3. */
  readonly cipher: string;
  readonly curve: string;
  readonly key: "rsa-2048";
  /** Whether sessions may be resumed, by ID or ticket. Handshakes are counted only where they may not. */
  readonly resumption: boolean;
}

export interface RateLimit {
  /** Requests allowed in each `per`. */
  readonly requests: number;
  readonly per: Duration;
  /** What the limit is counted for. */
  readonly scope: "gateway" | "route" | "consumer" | "client";
  /** Where the count is kept: in the gateway process, or shared in Redis. */
  readonly store: "local" | "redis";
}

/** What answers behind the gateway, and how the gateway talks to it. */
export interface UpstreamBehaviour {
  /** How many upstream servers. Default 1. */
  readonly count?: number;
  /** Body size in bytes. Default 1024; where the upstream has an answer of its own, that. */
  readonly responseBytes?: number;
  /** Time the upstream takes before it answers. Default none. */
  readonly delay?: Duration;
  /** Whether the gateway keeps connections to the upstream open. Default true. */
  readonly keepAlive?: boolean;
}

/** What every generator sends, byte for byte. */
export interface RequestShape {
  /** Default "GET". */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** What the upstream is asked for, behind the gateway's route. Default: what it answers as `upstream` says. */
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Auth = "key" | "basic" | "jwt" | "external";
export type Balancing = "round-robin" | "least-connections";

/**
 * What every gateway in a comparison is asked to do.
 *
 * It says nothing about how a gateway does it, so that the same scenario can be given to each; two scenarios differ
 * only where they say so.
 */
export interface Scenario {
  /** Kebab-case; names rows, files and chart series. */
  readonly name: string;
  /** Default "http". */
  readonly scheme?: "http" | "https";
  /** Default: RSA-2048, TLS 1.2, ECDHE-RSA-AES256-GCM-SHA384, X25519, no resumption. */
  readonly tls?: Partial<TlsProfile>;
  /** That a port beside the entry answers plain HTTP with a redirect to https. Loads do not go there. Default false. */
  readonly redirectHttp?: boolean;
  /** Default 1. */
  readonly routes?: number;
  /** Default 0; 1 where auth is asked for. */
  readonly consumers?: number;
  readonly auth?: Auth;
  /** Where the credential travels. Default "header". */
  readonly credential?: "header" | "cookie";
  readonly rateLimit?: RateLimit;
  /** Default false. */
  readonly analytics?: boolean;
  readonly balancing?: Balancing;
  readonly upstream?: UpstreamBehaviour;
  readonly request?: RequestShape;
}

/** A scenario with every default filled in. Adapters render from this. */
export interface ResolvedScenario {
  readonly name: string;
  readonly scheme: "http" | "https";
  readonly tls: TlsProfile;
  readonly redirectHttp: boolean;
  readonly routes: number;
  readonly consumers: number;
  readonly auth: Auth | undefined;
  readonly credential: "header" | "cookie";
  readonly rateLimit: RateLimit | undefined;
  readonly analytics: boolean;
  readonly balancing: Balancing;
  readonly upstream: {
    readonly count: number;
    readonly responseBytes: number;
    readonly delay: Duration | undefined;
    readonly keepAlive: boolean;
  };
  readonly request: {
    readonly method: string;
    readonly path: string | undefined;
    readonly body: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export const defaultTls: TlsProfile = {
  version: "1.2",
  cipher: "ECDHE-RSA-AES256-GCM-SHA384",
  curve: "X25519",
  key: "rsa-2048",
  resumption: false,
};

const name = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "a name is kebab-case: small letters, digits and hyphens");
const tlsSchema = z.strictObject({
  version: z.enum(["1.2", "1.3"]),
  cipher: z.string().min(1),
  curve: z.string().min(1),
  key: z.literal("rsa-2048"),
  resumption: z.boolean(),
});

/** The form of a scenario in a file. */
export const scenarioSchema = z.strictObject({
  name,
  scheme: z.enum(["http", "https"]).optional(),
  tls: tlsSchema.partial().optional(),
  redirectHttp: z.boolean().optional(),
  routes: z.int().min(1).max(1000).optional(),
  consumers: z.int().min(0).max(10_000).optional(),
  auth: z.enum(["key", "basic", "jwt", "external"]).optional(),
  credential: z.enum(["header", "cookie"]).optional(),
  rateLimit: z
    .strictObject({
      requests: z.int().min(1),
      per: durationSchema,
      scope: z.enum(["gateway", "route", "consumer", "client"]),
      store: z.enum(["local", "redis"]),
    })
    .optional(),
  analytics: z.boolean().optional(),
  balancing: z.enum(["round-robin", "least-connections"]).optional(),
  upstream: z
    .strictObject({
      count: z.int().min(1).max(16).optional(),
      responseBytes: z.int().min(0).max(10_000_000).optional(),
      delay: durationSchema.optional(),
      keepAlive: z.boolean().optional(),
    })
    .optional(),
  request: z
    .strictObject({
      method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).optional(),
      path: z
        .string()
        .regex(/^\/[^\s#]*$/, "a path begins with a slash and has no blanks")
        .optional(),
      body: z.string().optional(),
      headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().regex(/^[^\r\n]*$/)).optional(),
    })
    .optional(),
});

/** What no schema can say: how a scenario's parts fit together. */
export function scenarioFaults(scenario: Scenario): readonly Fault[] {
  const { name, scheme, redirectHttp, auth, consumers, credential, rateLimit } = resolveScenario(scenario);
  const contradiction = (what: string) => fault("invalid-scenario", `scenario "${name}" ${what}`);
  const faults: (Fault | false)[] = [
    redirectHttp &&
      scheme === "http" &&
      contradiction("redirects HTTP to https and is served over http. Give it the scheme https, or drop redirectHttp."),
    auth !== undefined &&
      consumers === 0 &&
      contradiction(`asks for ${auth} auth and has no consumers. Give it one, or drop auth.`),
    auth === "basic" &&
      credential === "cookie" &&
      contradiction("puts basic credentials in a cookie; they only travel in a header. Drop credential, or use key."),
    auth === undefined &&
      rateLimit?.scope === "consumer" &&
      contradiction("limits each consumer, and without auth nobody knows them. Give it auth, or another scope."),
  ];
  return faults.filter((entry) => entry !== false);
}

/** The scenario with its defaults. */
export function resolveScenario(scenario: Scenario): ResolvedScenario {
  return {
    name: scenario.name,
    scheme: scenario.scheme ?? "http",
    tls: { ...defaultTls, ...scenario.tls },
    redirectHttp: scenario.redirectHttp ?? false,
    routes: scenario.routes ?? 1,
    consumers: scenario.consumers ?? (scenario.auth ? 1 : 0),
    auth: scenario.auth,
    credential: scenario.credential ?? "header",
    rateLimit: scenario.rateLimit,
    analytics: scenario.analytics ?? false,
    balancing: scenario.balancing ?? "round-robin",
    upstream: {
      count: scenario.upstream?.count ?? 1,
      responseBytes: scenario.upstream?.responseBytes ?? 1024,
      delay: scenario.upstream?.delay,
      keepAlive: scenario.upstream?.keepAlive ?? true,
    },
    request: {
      method: scenario.request?.method ?? "GET",
      path: scenario.request?.path,
      body: scenario.request?.body,
      headers: scenario.request?.headers ?? {},
    },
  };
}

/**
 * The plain scenario a baseline is measured with: same scheme, TLS, upstream and request, no policies.
 * What a gateway adds is read off against it.
 */
export function plainScenario(scenario: Scenario): Scenario {
  const { scheme, tls, upstream, request } = scenario;
  return { name: "plain", ...definedOnly({ scheme, tls, upstream: upstream && { ...upstream, count: 1 }, request }) };
}

function definedOnly<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
