/** What the n-th request of a run gets: known before the run, the same each time. */

/**
 * Long enough that a client's own millisecond is small beside it: that of k6 and Locust is, where they are not busy, half
 * of one to one.
 */
const usualMs = 50;
const slowMs = 400;
/** Up to three tenths around the usual, so that requests do not come in step: clients would time their own queues. */
const aroundUsual = (index) => usualMs * (0.7 + ((index * 7919) % 600) / 1000);

/** Log-normal around the usual, drawn once: sums of twelve evenly spread numbers are near enough to normal. */
const logNormal = drawn(5000);

function drawn(count) {
  let state = 1;
  const even = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const normal = () => Array.from({ length: 12 }, even).reduce((sum, value) => sum + value, -6);
  return Array.from({ length: count }, () => usualMs * Math.exp(0.6 * normal()));
}

const cycle = (kinds) => (index) => kinds[index % kinds.length];
const oneIn =
  (count, special, usual = {}) =>
  (index) =>
    index % count === count - 1 ? special : usual;

const schedules = {
  ok: () => () => ({}),
  "mixed-statuses": () =>
    cycle([200, 200, 404, 200, 429, 200, 404, 200, 500, 200].map((status) => ({ status, delayMs: 1 }))),
  resets: () => oneIn(20, { kind: "reset" }, { delayMs: 1 }),
  hangs: () => oneIn(50, { kind: "hang" }, { delayMs: 1 }),
  truncated: () => oneIn(20, { kind: "truncate" }, { delayMs: 1 }),
  slow: () => () => ({ delayMs: 20 }),
  "slow-tail": () => (index) => ({ delayMs: [50, 120, 190].includes(index % 200) ? slowMs : aroundUsual(index) }),
  "log-normal": () => (index) => ({ delayMs: logNormal[index % logNormal.length] }),
  stall: stalled,
};

/** Answers as usual, but for one second, a second after the first request, in which nothing is answered. */
function stalled() {
  let firstMs;
  const at = (index, arrivedMs) => {
    firstMs ??= arrivedMs;
    const [from, to] = [firstMs + 1000, firstMs + 2000];
    const usual = aroundUsual(index);
    const due = arrivedMs + usual;
    return { delayMs: due >= from && due < to ? to - arrivedMs : usual };
  };
  return Object.assign(at, { restart: () => (firstMs = undefined) });
}

export const scheduleNamed = (name) => schedules[name]();
