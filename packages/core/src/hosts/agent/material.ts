import { randomBytes } from "node:crypto";
import { spawnSync } from "node:child_process";

/** What all credentials are made from. Made once, kept secret, the same until replaced. */
export interface Material {
  readonly seed: string;
  /** PEM; self-signed, RSA-2048. */
  readonly certificate: string;
  readonly key: string;
}

/** Long enough for any benchmark; nothing trusts this certificate. */
const validDays = "3650";

/** Through the shell's pipe, never through files: nothing is left behind when it is killed. Node's own cannot be opened by name. */
const script = 'openssl "$@" -keyout /dev/stdout | cat';

export function makeMaterial(): Material {
  const subject = ["-subj", "/CN=gatebench", "-addext", "subjectAltName=DNS:gatebench,DNS:localhost,IP:127.0.0.1"];
  const selfSigned = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", validDays, ...subject];
  const { stdout, stderr } = spawnSync("sh", ["-c", script, "sh", ...selfSigned], { encoding: "utf8" });
  const block = (name: string): string => {
    const found = new RegExp(`-----BEGIN ${name}-----[^]+-----END ${name}-----`).exec(stdout)?.[0];
    if (found === undefined) throw new Error(`openssl made no ${name}: ${stderr.trim().slice(-300)}`);
    return `${found}\n`;
  };
  return {
    seed: randomBytes(32).toString("hex"),
    certificate: block("CERTIFICATE"),
    key: block("PRIVATE KEY"),
  };
}
