/**
 * Which end-to-end tests may go on at the same time: what is on this machine shares its ports, one file after the other.
 *
 * A new file is in the lane of this machine; it belongs into another where it has machines of its own, or where what it
 * shows is a matter of time or of counts within what is in flight.
 */

/** On machines or nodes of their own (test/twin, test/cluster), and so two at a time beside those on this one. */
const elsewhere = [
  ...["cluster", "eks-[a-z]+", "kubernetes-[a-z]+", "load-balancing", "observed-machines", "cut-ssh", "ssh-[a-z]+"],
  ...["ec2-[a-z]+", "matrix-on-ec2", "kong-deployment", "tyk-deployment", "twin", "twin-network"],
];

/** Anything beside them would be measured too. */
const timed = [
  ...["authorization", "comparisons", "count-truth", "counters", "distributed-locust", "fidelity"],
  ...["latency-truth", "observatory", "observatory-cost", "overhead", "starved-generators", "tls-truth"],
];

const named = (names) => `(${names.join("|")})\\.e2e\\.test\\.ts$`;
const without = (names) => ["--testPathIgnorePatterns", `/test/e2e/${named(names)}`];
/** Said as what is left out, so that a path somebody gives narrows it further. */
const only = (names) => ["--testPathIgnorePatterns", `/test/e2e/(?!${named(names)})`];

/** Arguments of jest for each. */
export const lanes = {
  elsewhere: ["--maxWorkers=2", ...only(elsewhere)],
  here: ["--runInBand", ...without([...elsewhere, ...timed])],
  timed: ["--runInBand", ...only(timed)],
};
