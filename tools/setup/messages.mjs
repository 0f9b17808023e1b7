/** What set-up tells its user: on stderr, because stdout belongs to the command that is set up for. */
const PROGRESS_LINE_MS = 15_000;

/** @param {string} line */
export const say = (line) => void process.stderr.write(`setup: ${line}\n`);

/**
 * An end that the user can do something about: printed as one line, without a stack.
 * @param {string} code @param {string} sentence  What is wrong and what to do.
 */
export function fault(code, sentence) {
  return Object.assign(new Error(sentence), { code, isFault: true });
}

/**
 * Says what is about to be done, then how long it takes already: in place on a terminal, else a line now and then.
 * @template T @param {string} line @param {() => Promise<T>} work @returns {Promise<T>}
 */
export async function during(line, work) {
  const start = Date.now();
  const elapsed = () => `${Math.round((Date.now() - start) / 1000)} s`;
  const terminal = process.stderr.isTTY;
  say(`${line} …`);
  const tick = terminal ? () => process.stderr.write(`\r\x1b[Ksetup: … ${elapsed()}`) : () => say(`… ${elapsed()}`);
  const timer = setInterval(tick, terminal ? 1_000 : PROGRESS_LINE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (terminal) process.stderr.write("\r\x1b[K");
  }
}
