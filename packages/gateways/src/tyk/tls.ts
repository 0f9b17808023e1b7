import {
  fault,
  fileOf,
  listed,
  refuse,
  type GatewayCapabilities,
  type ResolvedScenario,
} from "@gatebench/core/contract";

/** Tyk hands neither curves nor session tickets to Go's TLS library, which prefers X25519 and always gives tickets. */
export const tlsOnly: NonNullable<GatewayCapabilities["tlsOnly"]> = { curve: "X25519", resumption: true };

/** Go would agree on X25519 with ML-KEM with clients that know it, which is another handshake. */
export const curveWithoutMlKem = { GODEBUG: "tlsmlkem=0" };

/** Go's names of the TLS 1.2 ciphers that fit an RSA key, by OpenSSL's. */
const goNames: Readonly<Record<string, string>> = {
  "ECDHE-RSA-AES128-GCM-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "ECDHE-RSA-AES256-GCM-SHA384": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  "ECDHE-RSA-CHACHA20-POLY1305": "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
};

/** Versions by the number that stands in a handshake, 0x0303 and 0x0304. */
const versions = { "1.2": 771, "1.3": 772 };

/** What https adds to `http_server_options`. HTTP/2 is off, as in every gateway: generators speak HTTP/1.1. */
export function tlsOptions({ scheme, tls }: ResolvedScenario) {
  if (scheme === "http") return {};
  return {
    use_ssl: true,
    enable_http2: false,
    certificates: [{ domain_name: "*", cert_file: fileOf("certificate.pem"), key_file: fileOf("key.pem") }],
    min_version: versions[tls.version],
    max_version: versions[tls.version],
    ...(tls.version === "1.2" ? { ssl_ciphers: [goNames[tls.cipher]] } : {}),
  };
}

/** Tyk skips a name it does not know and would then serve every cipher. */
export function refuseCipher({ scheme, tls: { version, cipher } }: ResolvedScenario): void {
  if (scheme === "http") return;
  if (version === "1.2" ? Object.hasOwn(goNames, cipher) : !cipher.startsWith("TLS_")) return;
  refuse([
    fault(
      "unsupported-policy",
      `tyk cannot serve TLS ${version} with ${cipher} only. It can: ${listed(Object.keys(goNames))} with TLS 1.2; with TLS 1.3, Go chooses. Choose one of these, or leave tyk out of this row of the matrix.`,
    ),
  ]);
}
