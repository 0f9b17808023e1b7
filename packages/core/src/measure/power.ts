import chisquareQuantile from "@stdlib/stats-base-dists-chisquare-quantile";
import normalCdf from "@stdlib/stats-base-dists-normal-cdf";
import tQuantile from "@stdlib/stats-base-dists-t-quantile";

/** How a comparison is made: what its power depends on, beside the noise. */
export interface Design {
  /** Units of each side. */
  readonly units: readonly [left: number, right: number];
  /** Both took turns, and are compared pair by pair. */
  readonly inTurns: boolean;
  /** The chance, at most, of finding a difference where there is none. */
  readonly chance: number;
}

/** Of finding the smallest detectable difference; the convention (Cohen, Statistical Power Analysis, 1988). */
export const wantedPower = 0.8;

/**
 * The chance of finding a difference that is so many standard errors large, with the right sign, in normal noise.
 *
 * The noise is itself estimated, so this is a mean over what the estimate may be: a non-central t distribution, taken at
 * the middles of equally likely parts of the χ² that a variance follows.
 */
export function powerOf(standardErrors: number, design: Design): number {
  return meanPower(standardErrors, limitsOf(design));
}

/** The difference, in standard errors, that is found with the wanted power. */
export const detectableErrors = remembered((design) => {
  const limits = limitsOf(design);
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

/** How many true standard errors must be seen, for each of equally likely estimates of one. */
const limitsOf = remembered(({ units, inTurns, chance }) => {
  const [left, right] = units;
  const freedom = inTurns ? left - 1 : left + right - 2;
  const ofOne = (degrees: number) => tQuantile(1 - chance / 2, degrees);
  // With many units Welch's degrees of freedom are those of both together.
  if (inTurns || Math.min(left, right) > fewUnits)
    return variances(freedom, 100).map((variance) => ofOne(freedom) * Math.sqrt(variance));
  return variances(left - 1, 20).flatMap((ours) =>
    variances(right - 1, 20).map((theirs) => {
      const welch = welchError([ours / left, theirs / right], units);
      return ofOne(welch.freedom) * (welch.standardError / Math.sqrt(1 / left + 1 / right));
    }),
  );
});

const fewUnits = 30;

/** The standard error of a difference of two means from the variances of both, with Welch's degrees of freedom. */
export function welchError(ofMeans: readonly [number, number], [left, right]: Design["units"]) {
  const total = ofMeans[0] + ofMeans[1];
  const spread = ofMeans[0] ** 2 / (left - 1) + ofMeans[1] ** 2 / (right - 1);
  return { standardError: Math.sqrt(total), freedom: spread === 0 ? left + right - 2 : total ** 2 / spread };
}

/** What a variance of 1 may be estimated as, in equally likely parts. */
const variances = (freedom: number, parts: number): readonly number[] =>
  Array.from({ length: parts }, (_, part) => chisquareQuantile((part + 0.5) / parts, freedom) / freedom);

/** The answers of a pure function of a design, each looked for once. */
function remembered<T>(answer: (design: Design) => T): (design: Design) => T {
  const known = new Map<string, T>();
  return (design) => {
    const key = `${design.units} ${design.inTurns} ${design.chance}`;
    const kept = known.get(key) ?? answer(design);
    known.set(key, kept);
    return kept;
  };
}
