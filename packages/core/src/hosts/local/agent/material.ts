import { randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { remove } from "./files";

/** What all credentials are made from. Made once, kept secret, the same until replaced. */
export interface Material {
  readonly seed: string;
  /** PEM; self-signed, RSA-2048. */
  readonly certificate: string;
  readonly key: string;
}

/** Long enough for any benchmark; nothing trusts this certificate. */
const validDays = "3650";

export function makeMaterial(): Material {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-"));
  try {
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const subject = ["-subj", "/CN=gatebench", "-addext", "subjectAltName=DNS:gatebench,DNS:localhost,IP:127.0.0.1"];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        validDays,
        ...subject,
        "-keyout",
        key,
        "-out",
        certificate,
      ],
      { stdio: "pipe" },
    );
    return {
      seed: randomBytes(32).toString("hex"),
      certificate: readFileSync(certificate, "utf8"),
      key: readFileSync(key, "utf8"),
    };
  } finally {
    remove(folder);
  }
}
