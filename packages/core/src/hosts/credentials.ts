import { createHash, createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { type Values } from "../contract";
import type { Material } from "./local/agent/material";
import { agentCommand } from "./local/agent-command";

export interface CredentialsArgs {
  /** Values of your own by reference name, such as "consumer-1.key" or "certificate.key". They are kept secret. */
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

  constructor(name: string, { given = {} }: CredentialsArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    super("gatebench:index:Credentials", name, {}, opts);
    const made = agentCommand(
      `${name}-material`,
      { verb: "make-material", stdin: "{}", update: "true" },
      { parent: this, additionalSecretOutputs: ["stdout"] },
    );
    this.#material = made.stdout.apply((text) => JSON.parse(text) as Material);
    this.#given = pulumi.secret(given) as pulumi.Output<Values>;
    this.identity = pulumi.unsecret(
      pulumi.all([made.id, this.#given]).apply(([id, values]) => fingerprint(id, values)),
    );
    this.registerOutputs({ identity: this.identity });
  }

  /** Secret values of the references named. */
  values(names: readonly string[]): pulumi.Output<Values> {
    const derived = this.#material.apply((material) => valuesOf(material, names));
    return pulumi.secret(
      pulumi.all([derived, this.#given]).apply(([values, given]) => ({ ...values, ...only(given, names) })),
    );
  }
}

/** Given values stand in it only as a keyed hash: the resource's id is random and is the key. */
function fingerprint(id: string, given: Values): string {
  return createHmac("sha256", id).update(JSON.stringify(given)).digest("hex").slice(0, 16);
}

/** Values by reference name, each derived from the seed. Pure. */
export function valuesOf({ seed, certificate, key }: Material, names: readonly string[]): Values {
  const known = new Set(names);
  const consumers = [...new Set(names.map((name) => name.split(".")[0] as string))].filter(
    (name) => name !== "certificate",
  );
  const derived = consumers.flatMap((consumer) => Object.entries(consumerValues(seed, consumer)));
  const all = [...derived, ["certificate.certificate", certificate], ["certificate.key", key]] as [string, string][];
  return Object.fromEntries(all.filter(([name]) => known.has(name)));
}

function consumerValues(seed: string, name: string): Values {
  const derive = (part: string) => createHmac("sha256", seed).update(`${name}.${part}`).digest("hex").slice(0, 32);
  const [key, username, password] = [derive("key"), `user-${derive("username").slice(0, 12)}`, derive("password")];
  const parts = {
    key,
    username,
    password,
    basicCredentials: Buffer.from(`${username}:${password}`).toString("base64"),
    htpasswd: `${username}:{SHA}${createHash("sha1").update(password).digest("base64")}`,
    jwt: signedToken(seed, username),
  };
  return Object.fromEntries(Object.entries(parts).map(([part, value]) => [`${name}.${part}`, value]));
}

/** HS256, without an expiry: the same token for as long as the credentials live. */
function signedToken(seed: string, subject: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: subject, iss: "gatebench" })}`;
  return `${signed}.${createHmac("sha256", seed).update(signed).digest("base64url")}`;
}

function only(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
