/** Whose turn it is among an upstream's targets. */

/** @returns {() => { host: string, port: number, busy: number }} */
function balancer({ targets, algorithm = "round-robin" }) {
  const all = targets.map(({ target }) => {
    const [host, port] = target.split(/:(?=\d+$)/);
    return { host, port: Number(port ?? 8000), busy: 0 };
  });
  let turn = 0;
  const next = () => all[turn++ % all.length];
  const choices = {
    "round-robin": next,
    // Among those that are equally busy, each in its turn.
    "least-connections": () => all.map(next).reduce((least, one) => (one.busy < least.busy ? one : least), next()),
  };
  if (!choices[algorithm])
    throw new Error(`it balances by ${Object.keys(choices).join(" or ")}, not by "${algorithm}"`);
  return choices[algorithm];
}

module.exports = { balancer };
