import { createHash, createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { blacklistedId, fault, type Fault, type Values } from "../contract";
import type { Material } from "./agent/material";
import { agentCommand } from "./local/agent-command";
import { shortest } from "./agent/mask";
import { refuseFaults } from "./refuse-faults";

export interface CredentialsArgs {
  /**
   * Values of your own by reference name, such as "consumer-1.key" or "certificate.key". They are kept secret. What is
   * made of others, such as basic credentials of a user and a password, is made of yours.
   */
  readonly given?: pulumi.Input<Values>;
}

/**
 * Consumers' credentials and the gateways' certificate.
 *
 * Made once, by a resource, and the same until replaced: every consumer's values are derived from one secret seed, so
 * a thousand consumers weigh no more in the state than one.
 */
export class Credentials extends pulumi.ComponentResource {
  /** Changes when the values do, and tells nothing about them. */
  readonly identity: pulumi.Output<string>;
  readonly #material: pulumi.Output<Material>;
  readonly #given: pulumi.Output<Values>;
  /** Names of those given; undefined while only the engine knows. */
  readonly givenNames: readonly string[] | undefined;

  constructor(name: string, { given = {} }: CredentialsArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    super("gatebench:index:Credentials", name, {}, opts);
    const made = agentCommand(
      `${name}-material`,
      { verb: "make-material", stdin: "{}", update: "true" },
      { parent: this, additionalSecretOutputs: ["stdout"] },
    );
    this.#material = made.stdout.apply((text) => JSON.parse(text) as Material);
    this.givenNames = isPlain(given) ? Object.keys(given) : undefined;
    this.#given = pulumi.secret(pulumi.output(given).apply(checked)) as pulumi.Output<Values>;
    this.identity = pulumi.unsecret(
      pulumi.all([this.#material, this.#given]).apply(([material, values]) => fingerprint(material, values)),
    );
    this.registerOutputs({ identity: this.identity });
  }

  /** Secret values of the references named. */
  values(names: readonly string[]): pulumi.Output<Values> {
    const known = pulumi.all([this.#material, this.#given]);
    return pulumi.secret(known.apply(([material, given]) => valuesOf(material, given, names)));
  }
}

const isPlain = (given: pulumi.Input<Values>): given is Values =>
  !pulumi.Output.isInstance(given) && !(given instanceof Promise);

/** Given values stand in it only as a hash whose key is as secret as they: a guess cannot be tried. */
function fingerprint({ seed }: Material, given: Values): string {
  return createHmac("sha256", seed).update(JSON.stringify(given)).digest("hex").slice(0, 16);
}

/** Values by reference name, each given or derived from the seed. Pure. */
export function valuesOf({ seed, certificate, key }: Material, given: Values, names: readonly string[]): Values {
  const consumers = [...new Set(names.flatMap((name) => /^(consumer-\d+)\./.exec(name)?.[1] ?? []))];
  const made: Values = {
    "certificate.certificate": certificate,
    "certificate.key": key,
    "gateway.secret": derived(seed, "gateway.secret"),
    "authorizer.secret": derived(seed, "authorizer.secret"),
    "authorizer.password": derived(seed, "authorizer.password"),
    "grafana.password": derived(seed, "grafana.password"),
  };
  const all: Values = Object.assign({}, made, ...consumers.map((name) => consumerValues(seed, name, given)), given);
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

const derived = (seed: string, name: string) => createHmac("sha256", seed).update(name).digest("hex").slice(0, 32);

function consumerValues(seed: string, name: string, given: Values): Values {
  const derive = (part: string) => derived(seed, `${name}.${part}`);
  const username = given[`${name}.username`] ?? `user-${derive("username").slice(0, 12)}`;
  const password = given[`${name}.password`] ?? derive("password");
  const signingKey = given["authorizer.secret"] ?? derived(seed, "authorizer.secret");
  const token = (claims: object) => signedToken(signingKey, { sub: username, iss: "gatebench", ...claims });
  const parts = {
    key: derive("key"),
    username,
    password,
    basicCredentials: Buffer.from(`${username}:${password}`).toString("base64"),
    htpasswd: `${username}:{SHA}${createHash("sha1").update(password).digest("base64")}`,
    jwt: token({}),
    expiredJwt: token({ exp: longAgo }),
    blacklistedJwt: token({ jti: blacklistedId }),
  };
  return Object.fromEntries(Object.entries(parts).map(([part, value]) => [`${name}.${part}`, value]));
}

function checked(given: Values): Values {
  refuseFaults(credentialFaults(given));
  return given;
}

const known =
  /^(consumer-\d+\.(key|username|password|basicCredentials|htpasswd|jwt)|certificate\.(certificate|key)|gateway\.(secret|licence|registry)|authorizer\.secret|grafana\.password)$/;
const isSecret = (name: string): boolean => !/\.(username|certificate)$/.test(name);

/** What is wrong with given credentials; it names them and repeats none. */
export function credentialFaults(given: Values): readonly Fault[] {
  const each = Object.entries(given).flatMap(([name, { length }]) => {
    if (!known.test(name)) return [`the credential "${name}" is none. Known: ${knownNames}.`];
    if (name === "authorizer.secret" && length < shortestKey) return [tooShortToSign(length)];
    return isSecret(name) && length < shortest ? [tooShort(name, length)] : [];
  });
  const pair = ["certificate.certificate", "certificate.key"].filter((name) => given[name] !== undefined);
  return [...each, ...(pair.length === 1 ? [onlyTogether] : [])].map((message) => fault("invalid-option", message));
}

const knownNames =
  "consumer-1.key, .username, .password, .basicCredentials, .htpasswd and .jwt, consumer-2.key and so on, certificate.certificate, certificate.key, gateway.secret, gateway.licence, gateway.registry, authorizer.secret, grafana.password";
const onlyTogether =
  'of the credentials "certificate.certificate" and "certificate.key" one is given, and they only fit together. Give both, or neither.';
/** RFC 7518, 3.2: a key of HS256 has at least the size of its hash. */
const shortestKey = 32;
const tooShortToSign = (length: number) =>
  `the credential "authorizer.secret" has ${length} characters; tokens are signed with it by HS256, which takes ${shortestKey} at least. Give a longer one.`;
const tooShort = (name: string, length: number) =>
  `the credential "${name}" has ${length} characters; shorter than ${shortest} it could not be masked in output without masking ordinary words. Give a longer one.`;

/** September 2001, in the seconds of a token. */
const longAgo = 1_000_000_000;

/** HS256, most without an expiry: the same token for as long as the credentials live. */
function signedToken(key: string, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}
