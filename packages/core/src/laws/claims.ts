import type { GatewayAdapter, RateLimit, Scenario } from "../contract";
import { refuses } from "./rendered";

export const plain: Scenario = { name: "plain" };

/** A policy, a scenario with it, and one that differs in nothing else. */
export interface Claim {
  readonly policy: string;
  readonly asked: Scenario;
  readonly without: Scenario;
}

/** Everything an adapter says it enforces, as pairs of scenarios that must be rendered differently. */
export function claims(adapter: GatewayAdapter): readonly Claim[] {
  return [...schemeClaims(adapter), ...authClaims(adapter), ...limitClaims(adapter), ...otherClaims(adapter)];
}

function schemeClaims({ supports }: GatewayAdapter): readonly Claim[] {
  const both = supports.schemes.includes("http") && supports.schemes.includes("https");
  return both ? [{ policy: "https", asked: { ...plain, scheme: "https", ...profile(supports) }, without: plain }] : [];
}

/** The profile it is asked for: what it serves in one way only is asked for in that way. */
const profile = ({ tlsOnly = {} }: GatewayAdapter["supports"]): Pick<Scenario, "tls"> =>
  Object.keys(tlsOnly).length > 0 ? { tls: tlsOnly } : {};

function authClaims(adapter: GatewayAdapter): readonly Claim[] {
  const { auth: kinds } = adapter.supports;
  return [
    ...kinds.map((auth) => ({ policy: auth, asked: { ...plain, auth }, without: plain })),
    ...pairs(kinds).map(([one, other]) => ({
      policy: `${one} in place of ${other}`,
      asked: { ...plain, auth: one },
      without: { ...plain, auth: other },
    })),
    ...consumerClaims(adapter),
    ...cookieClaims(adapter),
  ];
}

/** A gateway that holds no credentials itself renders nothing for one more of them. */
function consumerClaims({ supports }: GatewayAdapter): readonly Claim[] {
  const held = supports.auth.filter((auth) => auth === "key" || auth === "basic");
  return supports.consumers < 2
    ? []
    : held.map((auth) => ({
        policy: `a second consumer's ${auth}`,
        asked: { ...plain, auth, consumers: 2 },
        without: { ...plain, auth, consumers: 1 },
      }));
}

/** Basic credentials have a header of their own by definition; everything else may travel in a cookie. */
function cookieClaims({ supports }: GatewayAdapter): readonly Claim[] {
  const auth = supports.auth.find((kind) => kind !== "basic");
  const both = supports.credentials.includes("header") && supports.credentials.includes("cookie");
  if (auth === undefined || !both) return [];
  const without: Scenario = { ...plain, auth };
  return [{ policy: "a credential in a cookie", asked: { ...without, credential: "cookie" }, without }];
}

function limitClaims(adapter: GatewayAdapter): readonly Claim[] {
  return [...limitsOf(adapter).flatMap((rateLimit) => claimsOfLimit(adapter, rateLimit)), ...scopeClaims(adapter)];
}

/** Two scopes are two limits, so they are rendered differently even where all else is the same. */
function scopeClaims(adapter: GatewayAdapter): readonly Claim[] {
  return pairs(limitsOf(adapter)).map(([one, other]) => {
    const asked = { ...limited(adapter, other), ...limited(adapter, one), ...toldApart(adapter) };
    const policy = `a ${one.store} limit per ${one.scope} in place of a ${other.store} one per ${other.scope}`;
    return { policy, asked, without: { ...asked, rateLimit: other } };
  });
}

/** With one route and nobody known, a limit of the gateway, of its route and of its consumer are one and the same. */
function toldApart({ supports }: GatewayAdapter): Partial<Scenario> {
  const [auth] = supports.auth;
  return {
    routes: Math.min(2, supports.routes),
    ...(auth ? { auth, consumers: Math.min(2, supports.consumers) } : {}),
  };
}

function claimsOfLimit(adapter: GatewayAdapter, rateLimit: RateLimit): readonly Claim[] {
  const asked = limited(adapter, rateLimit);
  const policy = `a ${rateLimit.store} rate limit per ${rateLimit.scope}`;
  const without = { ...asked, rateLimit: undefined };
  const higher = { ...asked, rateLimit: { ...rateLimit, requests: 2 * rateLimit.requests } };
  const slower = { ...asked, rateLimit: { ...rateLimit, per: "1m" as const } };
  return [
    { policy, asked, without },
    { policy: `the requests of ${policy}`, asked, without: higher },
    { policy: `the period of ${policy}`, asked, without: slower },
  ];
}

/** Each two different members of a list. */
const pairs = <T>(all: readonly T[]): readonly (readonly [T, T])[] =>
  all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other] as const));

const limitsOf = ({ supports }: GatewayAdapter): readonly RateLimit[] =>
  supports.rateLimit.flatMap(({ store, scopes }) =>
    scopes.map((scope) => ({ requests: 120, per: "1s" as const, scope, store })),
  );

/** Without auth nobody knows a consumer. */
function limited({ supports }: GatewayAdapter, rateLimit: RateLimit): Scenario {
  const [auth] = supports.auth;
  return { ...plain, rateLimit, ...(rateLimit.scope === "consumer" && auth ? { auth } : {}) };
}

function otherClaims({ supports }: GatewayAdapter): readonly Claim[] {
  const three: Scenario = { ...plain, upstream: { count: 3 } };
  const balancings = supports.balancing.map((balancing): Scenario => ({ ...three, balancing }));
  const [first, second] = balancings;
  return [
    ...(supports.analytics ? [{ policy: "analytics", asked: { ...plain, analytics: true }, without: plain }] : []),
    ...balancings.map((asked) => ({
      policy: "a third upstream",
      asked,
      without: { ...asked, upstream: { count: 2 } },
    })),
    ...(supports.redirectHttp ? [redirectClaim(supports)] : []),
    ...(first && second ? [{ policy: "balancing", asked: first, without: second }] : []),
    ...(supports.routes > 1 ? [{ policy: "a second route", asked: { ...plain, routes: 2 }, without: plain }] : []),
  ];
}

function redirectClaim(supports: GatewayAdapter["supports"]): Claim {
  const without: Scenario = { ...plain, scheme: "https", ...profile(supports) };
  return { policy: "a redirect of HTTP to https", asked: { ...without, redirectHttp: true }, without };
}

/**
 * Each part of a TLS profile with another value, where it may have one: unless the adapter declares the one it serves, or
 * refuses it. Where nothing is started, the upstream serves it.
 */
export function tlsClaims(adapter: GatewayAdapter): readonly Claim[] {
  const { supports, version: started } = adapter;
  if (started === null || !supports.schemes.includes("https")) return [];
  const [version = "1.2", ...versions] = supports.tlsVersions;
  const only = supports.tlsOnly ?? {};
  const without: Scenario = { ...plain, scheme: "https", tls: { ...only, version } };
  const claim = (policy: string, tls: Scenario["tls"]) => ({
    policy,
    asked: { ...without, tls: { ...without.tls, ...tls } },
    without,
  });
  const undeclarable = [
    ...(only.resumption === undefined ? [claim("resumption", { resumption: true })] : []),
    claim("the cipher", { cipher: "ECDHE-RSA-AES128-GCM-SHA256" }),
    ...(only.curve === undefined ? [claim("the curve", { curve: "prime256v1" })] : []),
  ];
  return [
    ...undeclarable.filter(({ asked }) => !refuses(adapter, asked)),
    ...versions.map((other) => claim(`TLS ${other}`, { version: other })),
  ];
}

/** One scenario for everything an adapter declares, and everything at once. */
export function declaredScenarios(adapter: GatewayAdapter): readonly Scenario[] {
  const { supports } = adapter;
  const declared = [...claims(adapter), ...tlsClaims(adapter)].map(({ asked }) => asked);
  const many = { routes: Math.min(5, supports.routes), consumers: Math.min(3, supports.consumers) };
  return [plain, ...declared, ...supports.auth.map((auth) => ({ ...plain, ...many, auth }))];
}

/** One scenario for everything an adapter does not declare. */
export function undeclaredScenarios({ supports }: GatewayAdapter): readonly Scenario[] {
  return [
    ...without(schemes, supports.schemes).map((scheme) => ({ ...plain, scheme })),
    ...without(tlsVersions, supports.tlsVersions).map((version) => ({
      ...plain,
      scheme: "https" as const,
      tls: { version },
    })),
    ...otherProfiles(supports).map((tls) => ({ ...plain, scheme: "https" as const, tls })),
    ...without(auths, supports.auth).map((auth) => ({ ...plain, auth })),
    ...undeclaredLimits(supports).map((rateLimit) => ({ ...plain, rateLimit })),
    ...(supports.analytics ? [] : [{ ...plain, analytics: true }]),
    ...(supports.redirectHttp ? [] : [{ ...plain, scheme: "https" as const, redirectHttp: true }]),
    ...without(balancings, supports.balancing).map((balancing) => ({ ...plain, balancing, upstream: { count: 2 } })),
    { ...plain, routes: supports.routes + 1 },
    { ...plain, consumers: supports.consumers + 1 },
  ];
}

/** What it serves in one way only, asked for in another. */
function otherProfiles({ tlsOnly = {} }: GatewayAdapter["supports"]): readonly NonNullable<Scenario["tls"]>[] {
  const { curve, resumption } = tlsOnly;
  return [
    ...(curve === undefined ? [] : [{ ...tlsOnly, curve: `not-${curve}` }]),
    ...(resumption === undefined ? [] : [{ ...tlsOnly, resumption: !resumption }]),
  ];
}

const schemes = ["http", "https"] as const;
const tlsVersions = ["1.2", "1.3"] as const;
const auths = ["key", "basic", "jwt", "external"] as const;
const stores = ["local", "redis"] as const;
const scopes = ["gateway", "route", "consumer", "client"] as const;
const balancings = ["round-robin", "least-connections"] as const;

const without = <T>(all: readonly T[], declared: readonly T[]): readonly T[] =>
  all.filter((one) => !declared.includes(one));

function undeclaredLimits({ rateLimit }: GatewayAdapter["supports"]): readonly RateLimit[] {
  const all = stores.flatMap((store) => scopes.map((scope) => ({ requests: 10, per: "1s" as const, scope, store })));
  return all.filter(({ store, scope }) => !rateLimit.some((one) => one.store === store && one.scopes.includes(scope)));
}
