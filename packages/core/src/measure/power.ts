import chisquareQuantile from "@stdlib/stats-base-dists-chisquare-quantile";
import normalCdf from "@stdlib/stats-base-dists-normal-cdf";
import tQuantile from "@stdlib/stats-base-dists-t-quantile";

/** How a comparison is made: what its power depends on beside the noise. */
export interface Design {
  /** Degrees of freedom of its noise. */
  readonly freedom: number;
  /** The chance, at most, of finding a difference where there is none. */
  readonly chance: number;
}

/** Of finding the smallest detectable difference; the convention (Cohen, Statistical Power Analysis, 1988). */
export const wantedPower = 0.8;

/**
 * The chance of finding a difference that is so many standard errors large, with the right sign.
 *
 * The noise is itself estimated, so this is a mean over what the estimate may be: a non-central t distribution, taken at
 * the middles of equally likely parts of the χ² that a variance of so many degrees of freedom follows.
 */
export function powerOf(standardErrors: number, { freedom, chance }: Design): number {
  return meanPower(standardErrors, limitsOf(freedom, chance));
}

/** The difference, in standard errors, that is found with the wanted power. */
export const detectableErrors = remembered((freedom, chance) => {
  const limits = limitsOf(freedom, chance);
  let [low, high] = [0, 1];
  while (meanPower(high, limits) < wantedPower) high *= 2;
  while (high - low > 1e-4 * high) {
    const middle = (low + high) / 2;
    if (meanPower(middle, limits) < wantedPower) low = middle;
    else high = middle;
  }
  return high;
});

function meanPower(standardErrors: number, limits: readonly number[]): number {
  return limits.reduce((sum, limit) => sum + normalCdf(standardErrors - limit, 0, 1), 0) / limits.length;
}

/** How many true standard errors must be seen, for each of the equally likely estimates of one. */
function limitsOf(freedom: number, chance: number): readonly number[] {
  const limit = tQuantile(1 - chance / 2, freedom);
  return estimates(freedom, parts).map((estimated) => limit * estimated);
}

/** Enough for power to be exact to a tenth of a point. */
const parts = 100;

/** What a standard error may be estimated as, in its own unit. */
const estimates = remembered((freedom, count) =>
  Array.from({ length: count }, (_, part) => Math.sqrt(chisquareQuantile((part + 0.5) / count, freedom) / freedom)),
);

/** A fraction of a degree of freedom, or more than many, changes nothing that can be seen: known answers are kept. */
function remembered<T>(answer: (freedom: number, other: number) => T): (freedom: number, other: number) => T {
  const known = new Map<string, T>();
  return (given, other) => {
    const freedom = Math.min(manyDegrees, Math.max(1, Math.round(given)));
    const key = `${freedom} ${other}`;
    const kept = known.get(key) ?? answer(freedom, other);
    known.set(key, kept);
    return kept;
  };
}

const manyDegrees = 200;
