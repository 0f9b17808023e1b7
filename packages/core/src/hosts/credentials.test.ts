import { createHash } from "node:crypto";
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
    'the credential "consumer.key" is none. Known: consumer-1.key, .username, .password, .basicCredentials, .htpasswd and .jwt, consumer-2.key and so on, certificate.certificate, certificate.key, gateway.secret, gateway.licence, gateway.registry, grafana.password.',
    'of the credentials "certificate.certificate" and "certificate.key" one is given, and they only fit together. Give both, or neither.',
  ]);
  expect(credentialFaults({ "certificate.certificate": "a certificate", "certificate.key": "its own key" })).toEqual(
    [],
  );
});
