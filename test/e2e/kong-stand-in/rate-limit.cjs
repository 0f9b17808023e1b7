/** rate-limiting: fixed windows of the clock, counted here or in Redis. */
const { redis } = require("./redis.cjs");

const WINDOWS = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/** @returns {(consumer: string | undefined, address: string) => Promise<boolean>} whether the request is within the limit */
function limiter(config, name) {
  const [window] = Object.keys(WINDOWS).filter((window) => config[window] !== undefined);
  const count = config.policy === "redis" ? countedInRedis(config.redis) : countedHere();
  const who = {
    service: () => "all",
    consumer: (consumer, address) => consumer ?? address,
    ip: (_, address) => address,
  };
  const counted = who[config.limit_by ?? "consumer"];
  if (window === undefined || counted === undefined)
    throw new Error(`the rate-limiting of ${name} says no limit it knows`);
  return async (consumer, address) => {
    const number = Math.floor(Date.now() / 1000 / WINDOWS[window]);
    const key = `ratelimit:${name}:${counted(consumer, address)}:${window}:${number}`;
    return (await count(key, WINDOWS[window])) <= config[window];
  };
}

/** Only the current window of each is kept. */
function countedHere() {
  const counts = new Map();
  return async (key) => {
    const [owner, number] = key.split(/:(?=\d+$)/);
    const { window, count } = counts.get(owner) ?? {};
    const next = window === number ? count + 1 : 1;
    counts.set(owner, { window: number, count: next });
    return next;
  };
}

function countedInRedis({ host, port, password }) {
  const ask = redis({ host, port, password });
  return async (key, windowS) => {
    const count = await ask("INCR", key);
    if (count === 1) await ask("EXPIRE", key, String(windowS));
    return count;
  };
}

module.exports = { limiter };
