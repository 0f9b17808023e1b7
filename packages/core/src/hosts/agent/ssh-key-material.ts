import { generateKeyPairSync } from "node:crypto";

/** A key for SSH, in the forms in which both sides take it. */
export interface KeyMaterial {
  /** "ssh-rsa AAAA…", as authorized_keys has it. */
  readonly publicKey: string;
  /** PKCS #1, PEM. */
  readonly privateKey: string;
}

const bits = 3072;

export function makeSshKey(): KeyMaterial {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  const { n = "", e = "" } = publicKey.export({ format: "jwk" });
  const parts = [Buffer.from("ssh-rsa"), positive(e), positive(n)].map(withLength);
  return {
    publicKey: `ssh-rsa ${Buffer.concat(parts).toString("base64")}`,
    privateKey: privateKey.export({ type: "pkcs1", format: "pem" }) as string,
  };
}

/** RFC 4251: a number whose first bit is set would be negative without a zero before it. */
function positive(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, "base64url");
  return (bytes[0] as number) < 128 ? bytes : Buffer.concat([Buffer.from([0]), bytes]);
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
