import { execFileSync } from "node:child_process";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the server itself says of everything since it was last told to forget. */
export interface Truth {
  readonly requests: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly resumed: number;
  readonly resets: number;
  readonly hung: number;
  readonly truncated: number;
  /** When each answered request came, milliseconds since 1970, and how long until it was answered. */
  readonly arrivedMs: readonly number[];
  readonly tookMs: readonly number[];
}

export interface KnownServer {
  readonly port: number;
  /** Begins a new log, and the schedule from its first answer. */
  forget(): Promise<void>;
  truth(): Promise<Truth>;
  stop(): Promise<void>;
}

/** Starts a server whose n-th answer is known in advance; its schedules stand in schedules.mjs. */
export async function knownServer(answers: string, tls?: { readonly resumption: boolean }): Promise<KnownServer> {
  const given = JSON.stringify({ answers, ...(tls ? { tls: { ...selfSigned(), ...tls } } : {}) });
  const child = fork(join(__dirname, "server.mjs"), [given], { execArgv: [] });
  const { port } = await said<{ port: number }>(child);
  return {
    port,
    forget: async () => void (await asked(child, "forget")),
    truth: async () => (await asked<{ log: Truth }>(child, "report")).log,
    stop: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function said<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, "message")) as [T];
  return message;
}

async function asked<T>(child: ChildProcess, what: string): Promise<T> {
  const answer = said<T>(child);
  child.send(what);
  return answer;
}

function selfSigned(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-certificate-"));
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder, name)) as [string, string];
  try {
    const subject = ["-subj", "/CN=known", "-days", "2", "-keyout", key, "-out", cert];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
