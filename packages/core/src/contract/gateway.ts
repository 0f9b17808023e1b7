import type { Address, Deployment } from "./deployment";
import { fault, listed, type Fault } from "./fault";
import { reference, referencesIn, type Reference } from "./reference";
import {
  resolveScenario,
  type Auth,
  type Balancing,
  type RateLimit,
  type ResolvedScenario,
  type Scenario,
} from "./scenario";

/** References to one consumer's credentials; each is ready-made, because adapters cannot transform values. */
export interface Consumer {
  readonly name: string;
  readonly key: Reference;
  readonly username: Reference;
  readonly password: Reference;
  /** base64 of `username:password`, as the Authorization header carries it. */
  readonly basicCredentials: Reference;
  /** `username:{SHA}…`, a line of an htpasswd file. SHA-1 costs the least of what all gateways accept, so the hash is not what is measured. */
  readonly htpasswd: Reference;
  readonly jwt: Reference;
}

/** References to PEM texts; each may only be a whole file. */
export interface Certificate {
  readonly certificate: Reference;
  readonly key: Reference;
}

/** Ports a host allocated, by the names the adapter declared. */
export type Ports = Readonly<Record<string, number>>;

/** Where a gateway is to run: everything it may know of its surroundings. */
export interface GatewaySite {
  readonly upstreams: readonly Address[];
  readonly consumers: readonly Consumer[];
  /** Present where the scenario's scheme is https. */
  readonly certificate?: Certificate;
  /** Present where auth is "external". */
  readonly authorizer?: Address;
  readonly ports: Ports;
  /** What the gateway may use: worker processes, threads, GOMAXPROCS, concurrency. */
  readonly workers: number;
}

/** How a gateway limits rates, for readers of a comparison. */
export interface RateLimitSupport {
  readonly store: RateLimit["store"];
  readonly scopes: readonly RateLimit["scope"][];
  /** As the vendor names it: "leaky bucket", "token bucket", "fixed window". */
  readonly algorithm: string;
}

/** What a gateway enforces itself. Everything else is refused while planning, never dropped. */
export interface GatewayCapabilities {
  readonly schemes: readonly ResolvedScenario["scheme"][];
  readonly tlsVersions: readonly ResolvedScenario["tls"]["version"][];
  /** The parts of a TLS profile it serves in one way only. Default none: it serves any. */
  readonly tlsOnly?: Partial<Pick<ResolvedScenario["tls"], "curve" | "resumption">>;
  /** Whether it redirects plain HTTP to https by itself. Default false. */
  readonly redirectHttp?: boolean;
  readonly auth: readonly Auth[];
  readonly credentials: readonly ResolvedScenario["credential"][];
  readonly rateLimit: readonly RateLimitSupport[];
  readonly analytics: boolean;
  /** Policies for several upstreams; empty: one upstream only. */
  readonly balancing: readonly Balancing[];
  /** Whether several upstreams must share one port, as the endpoints of one Kubernetes Service do. Default false. */
  readonly onePort?: boolean;
  /** The most routes and consumers it was tried with. */
  readonly routes: number;
  readonly consumers: number;
}

/**
 * One API gateway, described well enough to be started and measured anywhere.
 *
 * A gateway decides *what* to run; a host decides *where*. `render` is therefore pure: it creates nothing, reads no
 * clock and no environment, and returns the same value for the same scenario. Return an object, run `gatewayLaws`.
 */
export interface GatewayAdapter {
  /** Kebab-case; names stacks, files and chart series. */
  readonly name: string;
  /** The pinned version that is rendered for, as results state it; null where nothing is started. */
  readonly version: string | null;
  readonly supports: GatewayCapabilities;
  /** Names of the ports it needs. The first is where traffic enters. */
  readonly ports: readonly string[];
  /** Throws a FaultError for what `supports` cannot say: a limit it cannot count, an upstream it cannot reach. */
  render(scenario: ResolvedScenario, site: GatewaySite): Deployment;
}

/** References for so many consumers, named consumer-1, consumer-2, … */
export function consumers(count: number): readonly Consumer[] {
  return Array.from({ length: count }, (_, index) => consumer(`consumer-${index + 1}`));
}

function consumer(name: string): Consumer {
  const of = (part: string) => reference(`${name}.${part}`);
  return {
    name,
    key: of("key"),
    username: of("username"),
    password: of("password"),
    basicCredentials: of("basicCredentials"),
    htpasswd: of("htpasswd"),
    jwt: of("jwt"),
  };
}

export const certificate: Certificate = {
  certificate: reference("certificate.certificate"),
  key: reference("certificate.key"),
};

/** What only a gateway and who sets it up know: it guards an administration port, or a store beside the gateway. */
export const gatewaySecret: Reference = reference("gateway.secret");

/** What only a buyer of a gateway has, and gives as credentials of a topology. */
export const subscription = {
  /** The licence as its vendor hands it out: a JWT. */
  licence: reference("gateway.licence"),
  /** What a registry lets its image be pulled with, as the text of a Docker configuration: `{"auths":{…}}`. */
  registry: reference("gateway.registry"),
} as const;

/** What is in a deployment's text that only a person has, and has not given; `given`: names of credentials. */
export function credentialsLacking(name: string, deployment: unknown, given: readonly string[]): readonly Fault[] {
  const own = Object.keys(subscription).map((part) => `gateway.${part}`);
  const lacking = referencesIn(JSON.stringify(deployment)).filter((one) => own.includes(one) && !given.includes(one));
  if (lacking.length === 0) return [];
  const message = `${name} needs ${listed(lacking.map((one) => `"${one}"`))}, which nobody but you has. Give it among the credentials of the topology.`;
  return [fault("missing-credential", message)];
}

/** Names of every value `consumers(count)`, `certificate`, `gatewaySecret` and `subscription` refer to. */
export function credentialNames(count: number): readonly string[] {
  const parts = ["key", "username", "password", "basicCredentials", "htpasswd", "jwt"];
  const ofConsumers = consumers(count).flatMap(({ name }) => parts.map((part) => `${name}.${part}`));
  const others = [
    "certificate.certificate",
    "certificate.key",
    "gateway.secret",
    "gateway.licence",
    "gateway.registry",
  ];
  return [...ofConsumers, ...others];
}

/** Every policy of the scenario this gateway does not enforce itself, one line each. */
export function unsupportedPolicies(
  { name, supports }: Pick<GatewayAdapter, "name" | "supports">,
  scenario: Scenario,
): readonly Fault[] {
  const asked = resolveScenario(scenario);
  const refuse = (policy: string, possible: readonly (string | number)[]) =>
    fault(
      "unsupported-policy",
      `${name} cannot enforce ${policy} in scenario "${asked.name}". It enforces: ${listed(possible)}. Drop the policy, or leave ${name} out of this row of the matrix.`,
    );
  const faults: (Fault | false | undefined)[] = [
    !supports.schemes.includes(asked.scheme) && refuse(asked.scheme, supports.schemes),
    asked.scheme === "https" &&
      !supports.tlsVersions.includes(asked.tls.version) &&
      refuse(`TLS ${asked.tls.version}`, supports.tlsVersions),
    ...(asked.scheme === "https" ? tlsFaults(asked.tls, supports.tlsOnly, refuse) : []),
    asked.redirectHttp && !supports.redirectHttp && refuse("a redirect of HTTP to https", []),
    asked.auth && !supports.auth.includes(asked.auth) && refuse(asked.auth, supports.auth),
    asked.auth &&
      supports.auth.length > 0 &&
      !supports.credentials.includes(asked.credential) &&
      refuse(`a credential in a ${asked.credential}`, supports.credentials),
    asked.rateLimit && limitFault(asked.rateLimit, supports.rateLimit, refuse),
    asked.analytics && !supports.analytics && refuse("analytics", []),
    asked.upstream.count > 1 &&
      !supports.balancing.includes(asked.balancing) &&
      refuse(asked.balancing, supports.balancing),
    asked.routes > supports.routes && refuse(`${asked.routes} routes`, [`up to ${supports.routes}`]),
    asked.consumers > supports.consumers && refuse(`${asked.consumers} consumers`, [`up to ${supports.consumers}`]),
  ];
  return faults.filter((entry) => entry !== false && entry !== undefined);
}

type Refuse = (policy: string, possible: readonly string[]) => Fault;

function tlsFaults(
  { curve, resumption }: ResolvedScenario["tls"],
  only: GatewayCapabilities["tlsOnly"] = {},
  refuse: Refuse,
): readonly (Fault | false)[] {
  const resuming = (whether: boolean) => `TLS ${whether ? "with" : "without"} session resumption`;
  return [
    only.curve !== undefined && only.curve !== curve && refuse(`the curve ${curve}`, [only.curve]),
    only.resumption !== undefined &&
      only.resumption !== resumption &&
      refuse(resuming(resumption), [resuming(only.resumption)]),
  ];
}

function limitFault(limit: RateLimit, supported: readonly RateLimitSupport[], refuse: Refuse): Fault | undefined {
  const fits = supported.some(({ store, scopes }) => store === limit.store && scopes.includes(limit.scope));
  const possible = supported.flatMap(({ store, scopes }) => scopes.map((scope) => `${store} per ${scope}`));
  return fits ? undefined : refuse(`a ${limit.store} rate limit per ${limit.scope}`, possible);
}
