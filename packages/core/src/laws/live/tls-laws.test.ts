import { resolveScenario, type LiveLaw, type LiveTarget, type TlsObservation, type TlsProfile } from "../../contract";
import {
  agreesAskedCipher,
  refusesOtherCiphers,
  refusesOtherVersion,
  showsAskedKey,
  speaksAskedVersion,
  usesAskedCurve,
} from "./tls-laws";

const cipher = "ECDHE-RSA-AES256-GCM-SHA384";
const target: LiveTarget = { scheme: "https", host: "h", port: 1, requests: [], upstreams: [] };
const scenario = (tls: Partial<TlsProfile> = {}) => resolveScenario({ name: "a", scheme: "https", tls });
const key = { algorithm: "rsaEncryption", bits: 2048 };
const asked: TlsObservation = {
  kind: "tls",
  connected: true,
  version: "1.2",
  cipher,
  curve: "X25519",
  key,
  ticket: false,
  reused: [],
};
const refused: TlsObservation = { kind: "tls", connected: false, ticket: false, reused: [], error: "alert" };
const check = (law: LiveLaw, seen: TlsObservation, tls: Partial<TlsProfile> = {}) => {
  const [probe] = law.probes(scenario(tls), target);
  return law.check({ [probe?.name ?? ""]: seen }, scenario(tls), target);
};
const handshakeLaws = [speaksAskedVersion, agreesAskedCipher, usesAskedCurve, showsAskedKey];

test("they are about https", () => {
  const laws = [...handshakeLaws, refusesOtherVersion, refusesOtherCiphers];
  expect(laws.some((law) => law.appliesTo(resolveScenario({ name: "a" })))).toBe(false);
  expect(laws.every((law) => law.appliesTo(scenario()))).toBe(true);
});

test("a cipher of TLS 1.2 is asked for under TLS 1.2 only", () => {
  const profiles = [{ version: "1.3" }, { version: "1.3", cipher: "TLS_AES_128_GCM_SHA256" }] as const;
  expect(profiles.map((tls) => agreesAskedCipher.appliesTo(scenario(tls)))).toEqual([false, true]);
  expect(profiles.map((tls) => refusesOtherCiphers.appliesTo(scenario(tls)))).toEqual([false, false]);
});

test("what was agreed as asked is held", () => {
  expect(handshakeLaws.map((law) => check(law, asked))).toEqual(Array(4).fill({ verdict: "held" }));
});

test("without a handshake, only its absence is shown", () => {
  expect(handshakeLaws.map((law) => check(law, refused).verdict)).toEqual([
    "broken",
    "untested",
    "untested",
    "untested",
  ]);
});

test.each<[LiveLaw, Partial<TlsObservation>, string]>([
  [speaksAskedVersion, { version: "1.3" }, "no handshake with TLS 1.2: it was TLS 1.3"],
  [agreesAskedCipher, { cipher: "AES128-SHA" }, `the cipher was AES128-SHA where ${cipher} was asked`],
  [usesAskedCurve, { curve: "prime256v1" }, "the curve was prime256v1 where X25519 was asked"],
  [showsAskedKey, { key: { ...key, bits: 4096 } }, "the key is rsaEncryption with 4096 bits"],
  [showsAskedKey, { key: { algorithm: "id-ecPublicKey", bits: 256 } }, "the key is id-ecPublicKey with 256 bits"],
])("what was agreed otherwise breaks it: $name", (law, other, reason) => {
  expect(check(law, { ...asked, ...other })).toEqual({ verdict: "broken", reason });
});

test("an exchange without a curve breaks it", () => {
  const without = { ...asked, curve: undefined };
  expect(check(usesAskedCurve, without)).toEqual({
    verdict: "broken",
    reason: "no curve was used where X25519 was asked",
  });
});

test.each(["P-256", "prime256v1", "secp256r1"])("one curve has several names: %s", (curve) => {
  expect(check(usesAskedCurve, { ...asked, curve: "prime256v1" }, { curve })).toEqual({ verdict: "held" });
});

test("the other version is tried, whichever was asked", () => {
  const versions = (["1.2", "1.3"] as const).map(
    (version) => refusesOtherVersion.probes(scenario({ version }), target)[0],
  );
  expect(versions).toMatchObject([{ version: "1.3" }, { version: "1.2" }]);
});

test("every cipher but the asked one is offered", () => {
  expect(refusesOtherCiphers.probes(scenario(), target)).toMatchObject([{ ciphers: `DEFAULT:!${cipher}` }]);
});

test("an accepted other version or cipher breaks the law", () => {
  expect(check(refusesOtherVersion, asked)).toEqual({
    verdict: "broken",
    reason: "it accepted TLS 1.3 where only TLS 1.2 was asked",
  });
  expect(check(refusesOtherCiphers, { ...asked, cipher: "AES128-SHA" })).toEqual({
    verdict: "broken",
    reason: `it accepted TLS 1.2 with AES128-SHA where only ${cipher} was asked`,
  });
});

test("only the server's refusal is one", () => {
  expect(check(refusesOtherVersion, refused)).toEqual({ verdict: "held" });
  const others = ["timed out", "no connection", "no protocols available"];
  expect(others.map((error) => check(refusesOtherVersion, { ...refused, error }).verdict)).toEqual(
    Array(3).fill("untested"),
  );
});
