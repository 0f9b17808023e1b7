/** For tests only: the recorder of our script (src/ngrinder/recorder.ts) in TypeScript, and the log it leaves. */
import { sealOf } from "../../src/sealed";
import { pieceTag } from "../../src/ngrinder/recorder";

type Counts = Map<number | string, number>;
const count = (counts: Counts, key: number | string) => void counts.set(key, (counts.get(key) ?? 0) + 1);
const pairs = (counts: Counts) => [...counts].sort(([left], [right]) => Number(left) - Number(right));

export class Recorder {
  good = 0;
  bad = 0;
  readonly #beganMs = Date.now();
  readonly #began = process.hrtime.bigint();
  readonly #statuses: Counts = new Map();
  readonly #errors: Counts = new Map();
  readonly #buckets: Counts = new Map();
  readonly #answersBySecond: Counts = new Map();
  readonly #errorsBySecond: Counts = new Map();
  readonly #said = new Map<string, string>();
  #lastUs = 0;
  #sumUs = 0;
  #squaresUs = 0;
  #minUs = Number.MAX_SAFE_INTEGER;
  #maxUs = -1;

  constructor(
    private readonly agent: number,
    private readonly number: number,
  ) {}

  async timed(expect: number, send: () => Promise<number>): Promise<void> {
    const start = process.hrtime.bigint();
    try {
      const status = await send();
      this.#answered(status, Number((process.hrtime.bigint() - start) / 1000n));
      if (status === expect) this.good += 1;
      else this.bad += 1;
    } catch (error) {
      const kind = kindOf(error as NodeJS.ErrnoException);
      count(this.#errors, kind);
      count(this.#errorsBySecond, this.#second());
      this.#said.set(kind, (error as Error).message);
      this.#lastUs = this.#hereUs();
      this.bad += 1;
    }
  }

  /** The figures in sealed pieces, as a worker's log has them. */
  log(durationMs: number): string {
    const text = JSON.stringify(this.#figures(durationMs));
    const pieces = text.match(/.{1,800}/gs) ?? [];
    return pieces
      .map((piece, index) =>
        [pieceTag, `${this.agent}.${this.number}`, `${index + 1}/${pieces.length}`, sealOf(piece), piece].join(" "),
      )
      .join("\n");
  }

  #answered(status: number, us: number): void {
    count(this.#statuses, status);
    count(this.#buckets, edge(us));
    count(this.#answersBySecond, this.#second());
    this.#sumUs += us;
    this.#squaresUs += us * us;
    this.#minUs = Math.min(this.#minUs, us);
    this.#maxUs = Math.max(this.#maxUs, us);
    this.#lastUs = this.#hereUs();
  }

  #hereUs = (): number => Number((process.hrtime.bigint() - this.#began) / 1000n);
  #second = (): number => Math.floor(this.#beganMs / 1000 + this.#hereUs() / 1e6);

  #figures(durationMs: number) {
    return {
      ...{ agent: this.agent, process: this.number, beganMs: this.#beganMs },
      sentUs: Math.max(this.#lastUs, Math.min(durationMs * 1000, this.#hereUs())),
      statuses: Object.fromEntries(this.#statuses),
      errors: Object.fromEntries(this.#errors),
      said: Object.fromEntries(this.#said),
      ...{ minUs: this.#minUs, maxUs: this.#maxUs, sumUs: this.#sumUs, squaresUs: this.#squaresUs },
      buckets: pairs(this.#buckets),
      ...{ answersBySecond: pairs(this.#answersBySecond), errorsBySecond: pairs(this.#errorsBySecond) },
    };
  }
}

/** Microseconds up to 2047 stand for themselves; above, a bucket is at most 1/1024 wide and named by its upper edge. */
function edge(us: number): number {
  const width = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, us))) - 10);
  return (Math.floor(us / width) + 1) * width - 1;
}

function kindOf({ code, message }: NodeJS.ErrnoException): string {
  const kinds = {
    ECONNREFUSED: "connect",
    ECONNRESET: "reset",
    EPIPE: "write",
    EMFILE: "files",
    EADDRNOTAVAIL: "ports",
  };
  if (message.includes("Timeout")) return "timeout";
  return kinds[code as keyof typeof kinds] ?? "other";
}
