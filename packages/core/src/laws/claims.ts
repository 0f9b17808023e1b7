import type { Auth, GatewayAdapter, RateLimit, Scenario } from "../contract";

export const plain: Scenario = { name: "plain" };

/** A policy, a scenario with it, and one that differs in nothing else. */
interface Claim {
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
  return both ? [{ policy: "https", asked: { ...plain, scheme: "https" }, without: plain }] : [];
}

function authClaims({ supports }: GatewayAdapter): readonly Claim[] {
  const kinds = supports.auth.map((auth) => ({ policy: auth, asked: { ...plain, auth }, without: plain }));
  const [first] = supports.auth.filter(inCookies);
  const asked: Scenario = { ...plain, auth: first as Auth };
  const others = pairs(supports.auth).map(([auth, other]) => ({
    policy: `${auth} in place of ${other}`,
    asked: { ...plain, auth },
    without: { ...plain, auth: other },
  }));
  const two = supports.auth.map((auth) => ({
    policy: `a second consumer's ${auth}`,
    asked: { ...plain, auth, consumers: 2 },
    without: { ...plain, auth, consumers: 1 },
  }));
  const cookies =
    first !== undefined && ["header", "cookie"].every((place) => supports.credentials.includes(place as never));
  return [
    ...kinds,
    ...others,
    ...(supports.consumers > 1 ? two.filter(({ asked }) => asked.auth !== "external" && asked.auth !== "jwt") : []),
    ...(cookies
      ? [{ policy: "a credential in a cookie", asked: { ...asked, credential: "cookie" as const }, without: asked }]
      : []),
  ];
}

/** Basic credentials have a header of their own by definition; everything else may travel in a cookie. */
const inCookies = (auth: Auth) => auth !== "basic";

function limitClaims(adapter: GatewayAdapter): readonly Claim[] {
  return [...limitsOf(adapter).flatMap((rateLimit) => claimsOfLimit(adapter, rateLimit)), ...scopeClaims(adapter)];
}

/** Two scopes are two limits, so they are rendered differently even where all else is the same. */
function scopeClaims(adapter: GatewayAdapter): readonly Claim[] {
  return pairs(limitsOf(adapter)).map(([one, other]) => {
    const asked = { ...limited(adapter, other), ...limited(adapter, one) };
    const policy = `a ${one.store} limit per ${one.scope} in place of a ${other.store} one per ${other.scope}`;
    return { policy, asked, without: { ...asked, rateLimit: other } };
  });
}

function claimsOfLimit(adapter: GatewayAdapter, rateLimit: RateLimit): readonly Claim[] {
  const asked = limited(adapter, rateLimit);
  const policy = `a ${rateLimit.store} rate limit per ${rateLimit.scope}`;
  const { rateLimit: _, ...without } = asked;
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

/** Nobody knows a consumer without auth. */
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
    ...(first && second ? [{ policy: "balancing", asked: first, without: second }] : []),
    ...(supports.routes > 1 ? [{ policy: "a second route", asked: { ...plain, routes: 2 }, without: plain }] : []),
  ];
}

/** Parts of a TLS profile, each as a scenario with another value and one without. */
export function tlsDifferences({
  supports,
  version,
}: GatewayAdapter): readonly (readonly [string, Scenario, Scenario])[] {
  if (version === null || !supports.schemes.includes("https")) return [];
  const [tlsVersion = "1.2"] = supports.tlsVersions;
  const profile = (tls: Scenario["tls"]): Scenario => ({
    ...plain,
    scheme: "https",
    tls: { version: tlsVersion, ...tls },
  });
  const versions = supports.tlsVersions
    .slice(1)
    .map((other) => [`TLS ${other}`, profile({ version: other }), profile({})] as const);
  return [
    ["resumption", profile({ resumption: true }), profile({})],
    ["the cipher", profile({ cipher: "ECDHE-RSA-AES128-GCM-SHA256" }), profile({})],
    ["the curve", profile({ curve: "prime256v1" }), profile({})],
    ...versions,
  ];
}

/** One scenario for everything an adapter declares, and everything at once. */
export function declaredScenarios(adapter: GatewayAdapter): readonly Scenario[] {
  const { supports } = adapter;
  const declared = [...claims(adapter).map(({ asked }) => asked), ...tlsDifferences(adapter).map(([, asked]) => asked)];
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
    ...without(auths, supports.auth).map((auth) => ({ ...plain, auth })),
    ...undeclaredLimits(supports).map((rateLimit) => ({ ...plain, rateLimit })),
    ...(supports.analytics ? [] : [{ ...plain, analytics: true }]),
    ...without(balancings, supports.balancing).map((balancing) => ({ ...plain, balancing, upstream: { count: 2 } })),
    { ...plain, routes: supports.routes + 1 },
    { ...plain, consumers: supports.consumers + 1 },
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
