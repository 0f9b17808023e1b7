import type { Finding, LiveLaw, ResolvedScenario, TlsObservation, TlsProbe } from "../../contract";
import { breaks, held, untested } from "./finding";
import { observed } from "./observed";

const isHttps = ({ scheme }: ResolvedScenario) => scheme === "https";
const isTls12 = ({ tls }: ResolvedScenario) => tls.version === "1.2";
const other = ({ tls }: ResolvedScenario) => (tls.version === "1.2" ? "1.3" : "1.2");

const askedHandshake = ({ tls }: ResolvedScenario): TlsProbe => ({
  kind: "tls",
  name: "handshake",
  version: tls.version,
});

/** A law about what the handshake with the asked version agreed. */
function handshakeLaw(name: string, check: (seen: TlsObservation, scenario: ResolvedScenario) => Finding): LiveLaw {
  return {
    name,
    appliesTo: isHttps,
    probes: (scenario) => [askedHandshake(scenario)],
    check: (observations, scenario) => check(observed(observations, "tls", "handshake"), scenario),
  };
}

const noHandshake = untested("there was no handshake to see it in");

export const speaksAskedVersion = handshakeLaw("speaks the asked TLS version", ({ version, error }, { tls }) => {
  if (version === tls.version) return held;
  return breaks(`no handshake with TLS ${tls.version}: ${error ?? `it was TLS ${version}`}`);
});

/** Under TLS 1.3 a cipher of TLS 1.2 asks for nothing. */
const asksForCipher = ({ tls }: ResolvedScenario) => tls.version === "1.2" || tls.cipher.startsWith("TLS_");

export const agreesAskedCipher: LiveLaw = {
  ...handshakeLaw("agrees on the asked cipher", ({ cipher }, { tls }) => {
    if (cipher === undefined) return noHandshake;
    return cipher === tls.cipher ? held : breaks(`the cipher was ${cipher} where ${tls.cipher} was asked`);
  }),
  appliesTo: (scenario) => isHttps(scenario) && asksForCipher(scenario),
};

export const usesAskedCurve = handshakeLaw("exchanges keys over the asked curve", ({ connected, curve }, { tls }) => {
  if (!connected) return noHandshake;
  if (curve === undefined) return breaks(`no curve was used where ${tls.curve} was asked`);
  return sameCurve(curve, tls.curve) ? held : breaks(`the curve was ${curve} where ${tls.curve} was asked`);
});

export const showsAskedKey = handshakeLaw("shows a certificate with an RSA key of 2048 bits", ({ connected, key }) => {
  if (!connected || key === undefined) return noHandshake;
  if (key.algorithm === "rsaEncryption" && key.bits === 2048) return held;
  return breaks(`the key is ${key.algorithm} with ${key.bits} bits`);
});

export const refusesOtherVersion: LiveLaw = {
  name: "refuses other TLS versions",
  appliesTo: isHttps,
  probes: (scenario) => [{ kind: "tls", name: "other-version", version: other(scenario) }],
  check: (observations, scenario) =>
    refusal(observed(observations, "tls", "other-version"), `TLS ${other(scenario)}`, `TLS ${scenario.tls.version}`),
};

/** Clients differ in what they prefer: with a second cipher, each generator would measure another one. */
export const refusesOtherCiphers: LiveLaw = {
  name: "refuses other ciphers",
  appliesTo: (scenario) => isHttps(scenario) && isTls12(scenario),
  probes: ({ tls }) => [{ kind: "tls", name: "other-cipher", version: "1.2", ciphers: `DEFAULT:!${tls.cipher}` }],
  check: (observations, { tls }) => {
    const seen = observed(observations, "tls", "other-cipher");
    return refusal(seen, `TLS 1.2 with ${seen.cipher ?? "another cipher"}`, tls.cipher);
  },
};

/** A refusal is the server's: a silent or absent one has refused nothing. */
function refusal({ connected, error = "" }: TlsObservation, offered: string, asked: string): Finding {
  if (connected) return breaks(`it accepted ${offered} where only ${asked} was asked`);
  if (["timed out", "no connection"].includes(error)) return untested(`openssl got no answer: ${error}`);
  return clientSide.test(error) ? untested(`openssl itself refused: ${error}`) : held;
}

const clientSide = /no protocols available|no ciphers available|no cipher match/;

/** Names of one curve, as people, NIST and OpenSSL write it. */
const curves = [
  ["p-256", "prime256v1", "secp256r1"],
  ["p-384", "secp384r1"],
  ["p-521", "secp521r1"],
];

function sameCurve(left: string, right: string): boolean {
  const [one, two] = [left.toLowerCase(), right.toLowerCase()];
  return one === two || curves.some((names) => names.includes(one) && names.includes(two));
}
