import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Values } from "@gatebench/core";

/** Credentials that are looked for wherever they must not be. With what URLs, JSON and base64 spell otherwise. */
export function plantedValues(): Values {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-planted-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=planted", "-days", "2"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject, "-keyout", key, "-out", certificate],
    {
      stdio: "pipe",
    },
  );
  const values = {
    "consumer-1.key": "planted+key/4711==with&signs",
    "consumer-1.username": "planted-user",
    "consumer-1.password": "planted pass/word+4711?%",
    "certificate.key": readFileSync(key, "utf8"),
    "certificate.certificate": readFileSync(certificate, "utf8"),
  };
  rmSync(folder, { recursive: true });
  return values;
}

export interface Needle {
  /** What is named where it is found, in place of the secret. */
  readonly name: string;
  readonly text: string;
}

/** Every spelling of the secrets among the values; names and certificates are none. */
export function needlesOf(values: Values): readonly Needle[] {
  const { "consumer-1.username": user = "", "consumer-1.password": password } = values;
  const credentials = password === undefined ? {} : { "basic credentials": base64(`${user}:${password}`) };
  const secrets = Object.entries({ ...values, ...credentials }).filter(
    ([name]) => !/(username|\.certificate)$/.test(name),
  );
  return secrets.flatMap(([name, value]) => spellings(value).map(([how, text]) => ({ name: `${name} ${how}`, text })));
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

function spellings(value: string): readonly (readonly [how: string, text: string])[] {
  const lines = value.split("\n").filter((line) => line.length >= 16 && !line.startsWith("-----"));
  return [
    ["as base64", base64(value)],
    ...lines.flatMap((line) => [
      ["as it is", line] as const,
      ["as base64", base64(line).replace(/=+$/, "")] as const,
      ["in a URL", encodeURIComponent(line)] as const,
    ]),
    ...wrapped(base64(value)).map((line) => ["as base64 in lines", line] as const),
  ];
}

/** As `base64` and `openssl base64` print it; the last line may be too short to be told from other text. */
const wrapped = (text: string) => [76, 64].flatMap((width) => text.match(new RegExp(`.{${width}}`, "g")) ?? []);

/** Names of the needles in a text. */
export const foundIn = (text: string, needles: readonly Needle[]): readonly string[] => [
  ...new Set(needles.filter((needle) => text.includes(needle.text)).map(({ name }) => name)),
];

/** Files below a folder that hold a needle, with the needles' names. */
export function foundBelow(folder: string, needles: readonly Needle[]): Readonly<Record<string, readonly string[]>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1), foundIn(readFileSync(path, "utf8"), needles)] as const;
  });
  return Object.fromEntries(found.filter(([, names]) => names.length > 0));
}

const secretKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Whether the engine keeps a value of its state as a secret. */
export const isSecret = (value: unknown): boolean =>
  (value as Record<string, unknown> | undefined)?.[secretKey] === secretSignature;

/** What jobs left on record, which the engine keeps compressed. */
export const recordsOf = (state: unknown): readonly string[] =>
  [...JSON.stringify(state).matchAll(/"stdout":"(H4sI[^"]+)"/g)].map(([, packed]) =>
    gunzipSync(Buffer.from((packed as string).replaceAll("\\n", ""), "base64")).toString("utf8"),
  );

/** A state without what the engine keeps secret in it. */
export function withoutSecrets(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state, (_, value: unknown) => (isSecret(value) ? "[secret]" : value)));
}
