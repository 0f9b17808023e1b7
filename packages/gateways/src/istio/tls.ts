import { fault, FaultError, listed, type Certificate, type TlsProfile } from "@gatebench/core/contract";
import { boringName } from "../envoy/tls";
import { extension } from "../envoy/typed";
import { namespace } from "./names";

/** The curve has no place in a Gateway; this is for all that the gateway serves. */
export function tlsDefaults({ curve }: TlsProfile) {
  return { ecdhCurves: [oneOf("the curve", boringName(curve), curves)] };
}

/** Of a Gateway's server. */
export function serverTls({ version, cipher }: TlsProfile) {
  const protocol = `TLSV${version.replace(".", "_")}`;
  return {
    mode: "SIMPLE",
    credentialName: secretName,
    minProtocolVersion: protocol,
    maxProtocolVersion: protocol,
    // TLS 1.3 chooses by itself.
    ...(version === "1.2" ? { cipherSuites: [oneOf("the cipher", cipher, ciphers)] } : {}),
  };
}

export const secretName = "certificate";

export const certificateSecret = ({ certificate, key }: Certificate) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: secretName, namespace },
  type: "kubernetes.io/tls",
  stringData: { "tls.crt": certificate, "tls.key": key },
});

/** A resumed session skips the handshake that is being counted: neither tickets nor session IDs. Istio has no word for it. */
export const noResumption = (port: number) => ({
  applyTo: "FILTER_CHAIN",
  match: { context: "GATEWAY", listener: { portNumber: port } },
  patch: {
    operation: "MERGE",
    value: {
      transport_socket: extension("envoy.transport_sockets.tls", {
        disable_stateless_session_resumption: true,
        disable_stateful_session_resumption: true,
      }),
    },
  },
});

/** Istio drops, without a word, what it does not know here, and serves its own choice. */
function oneOf(what: string, asked: string, possible: readonly string[]): string {
  if (possible.includes(asked)) return asked;
  throw new FaultError([
    fault(
      "unsupported-policy",
      `istio cannot serve ${what} ${asked}. It serves: ${listed(possible)}. Choose one of these, or leave istio out of this row of the matrix.`,
    ),
  ]);
}

const curves = ["P-256", "P-384", "P-521", "X25519"];
const ciphers = [
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-RSA-AES256-SHA",
  "AES128-GCM-SHA256",
  "AES256-GCM-SHA384",
  "AES128-SHA",
  "AES256-SHA",
];
