import { fileOf, type TlsProfile } from "@gatebench/core/contract";
import { extension } from "./typed";

/** The scenario's TLS profile, and no session resumption unless it asks for it. */
export function downstreamTls({ version, cipher, curve, resumption }: TlsProfile) {
  const protocol = `TLSv${version.replace(".", "_")}`;
  return extension("envoy.transport_sockets.tls", {
    common_tls_context: {
      tls_params: {
        tls_minimum_protocol_version: protocol,
        tls_maximum_protocol_version: protocol,
        cipher_suites: [cipher],
        ecdh_curves: [boringName(curve)],
      },
      tls_certificates: [
        { certificate_chain: { filename: fileOf("certificate.pem") }, private_key: { filename: fileOf("key.pem") } },
      ],
      alpn_protocols: ["http/1.1"],
    },
    ...(resumption ? {} : noResumption),
  });
}

/** A resumed session skips the handshake that is being counted: neither tickets nor session IDs. */
const noResumption = { disable_stateless_session_resumption: true, disable_stateful_session_resumption: true };

/** Envoy's TLS library knows the NIST curves by one name only. */
export function boringName(curve: string): string {
  return { prime256v1: "P-256", secp384r1: "P-384", secp521r1: "P-521" }[curve] ?? curve;
}
