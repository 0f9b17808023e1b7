import { createHash, createHmac } from "node:crypto";
import { credentialFaults, valuesOf } from "./credentials";

const material = { seed: "seed", certificate: "made certificate", key: "made key" };
const names = ["key", "username", "password", "basicCredentials", "htpasswd", "jwt"].map(
  (part) => `consumer-1.${part}`,
);

test("the same seed gives the same values, each consumer its own", () => {
  const values = valuesOf(material, {}, [...names, "consumer-2.key"]);
  expect(valuesOf(material, {}, names)).toMatchObject({ "consumer-1.key": values["consumer-1.key"] });
  expect(new Set(Object.values(values)).size).toBe(7);
  expect(valuesOf({ ...material, seed: "another" }, {}, names)["consumer-1.key"]).not.toBe(values["consumer-1.key"]);
});

test("what is made of a user and a password is made of those given", () => {
  const values = valuesOf(material, { "consumer-1.username": "me", "consumer-1.password": "given password" }, names);
  expect(Buffer.from(values["consumer-1.basicCredentials"] as string, "base64").toString()).toBe("me:given password");
  const hash = createHash("sha1").update("given password").digest("base64");
  expect(values["consumer-1.htpasswd"]).toBe(`me:{SHA}${hash}`);
  expect(
    JSON.parse(Buffer.from((values["consumer-1.jwt"] as string).split(".")[1] as string, "base64").toString()),
  ).toMatchObject({ sub: "me" });
});

test("the gateway's secret is derived like the rest, or given", () => {
  const made = valuesOf(material, {}, ["gateway.secret"]);
  expect(made["gateway.secret"]).toMatch(/^[0-9a-f]{32}$/);
  expect(valuesOf(material, {}, ["gateway.secret"])).toEqual(made);
  const given = { "gateway.secret": "a secret of my own" };
  expect(credentialFaults(given)).toEqual([]);
  expect(valuesOf(material, given, ["gateway.secret"])).toEqual(given);
});

describe("tokens", () => {
  const tokens = ["consumer-1.jwt", "consumer-1.expiredJwt", "consumer-1.blacklistedJwt"];
  const of = (values: Readonly<Record<string, string>>, name: string) => (values[name] as string).split(".");
  const claims = (values: Readonly<Record<string, string>>, name: string) =>
    JSON.parse(Buffer.from(of(values, name)[1] as string, "base64url").toString()) as unknown;

  test.each([
    ["made", {}],
    ["given", { "authorizer.secret": "a key of my own, of 32 bytes or more" }],
  ])("are all signed with the authorizer's secret, %s", (_, given) => {
    const values = valuesOf(material, given, [...tokens, "authorizer.secret"]);
    const key = values["authorizer.secret"] as string;
    expect(key.length).toBeGreaterThanOrEqual(32);
    for (const name of tokens) {
      const [head, body, signature] = of(values, name);
      expect(signature).toBe(createHmac("sha256", key).update(`${head}.${body}`).digest("base64url"));
    }
  });

  test("to be refused are refused for one reason alone", () => {
    const values = valuesOf(material, { "consumer-1.username": "me" }, tokens);
    expect(tokens.map((name) => claims(values, name))).toEqual([
      { sub: "me", iss: "gatebench" },
      { sub: "me", iss: "gatebench", exp: 1_000_000_000 },
      { sub: "me", iss: "gatebench", jti: "gatebench-blacklisted" },
    ]);
  });

  test("cannot be signed with a key too short for that", () => {
    expect(credentialFaults({ "authorizer.secret": "longer than eight" }).map(({ message }) => message)).toEqual([
      'the credential "authorizer.secret" has 17 characters; tokens are signed with it by HS256, which takes 32 at least. Give a longer one.',
    ]);
  });
});

test("only values that were asked for are given, and none for a host's own references", () => {
  expect(
    valuesOf(material, { "consumer-1.key": "given key" }, ["consumer-1.key", "file.key", "folder", "address.redis"]),
  ).toEqual({
    "consumer-1.key": "given key",
  });
  expect(valuesOf(material, {}, ["certificate.key"])).toEqual({ "certificate.key": "made key" });
});

test("given credentials that cannot be used are refused, without being repeated", () => {
  const faults = credentialFaults({
    "consumer-1.key": "s3cret",
    "consumer-1.username": "me",
    "consumer.key": "long enough",
    "certificate.key": "-----BEGIN PRIVATE KEY-----",
  });
  expect(faults.map(({ message }) => message)).toEqual([
    'the credential "consumer-1.key" has 6 characters; shorter than 8 it could not be masked in output without masking ordinary words. Give a longer one.',
    'the credential "consumer.key" is none. Known: consumer-1.key, .username, .password, .basicCredentials, .htpasswd and .jwt, consumer-2.key and so on, certificate.certificate, certificate.key, gateway.secret, gateway.licence, gateway.registry, authorizer.secret, grafana.password.',
    'of the credentials "certificate.certificate" and "certificate.key" one is given, and they only fit together. Give both, or neither.',
  ]);
  expect(credentialFaults({ "certificate.certificate": "a certificate", "certificate.key": "its own key" })).toEqual(
    [],
  );
});
