import { randomFrom } from "./random";
import { mean, type Range } from "./statistics";

/** What was reached on so many CPUs. */
export interface ScalingPoint {
  readonly cpus: number;
  readonly perS: number;
}

/** Of a law, how much more a CPU brings and what keeps it from bringing all of it. */
export interface LawParameters {
  /** γ: what one CPU does, per second. */
  readonly gamma: number;
  /** α, contention: the fraction of the work that only one CPU can do at a time. */
  readonly alpha: number;
  /** β, coherency: what each pair of CPUs spends on agreeing with each other. */
  readonly beta: number;
}

/**
 * The Universal Scalability Law (Gunther): X(N) = γN / (1 + α(N − 1) + βN(N − 1)).
 *
 * Amdahl's law is the same with β = 0. It is what is stated where the points are too few, or too noisy, to tell a β.
 */
export interface ScalabilityLaw extends LawParameters {
  readonly name: "usl" | "amdahl";
  /** Why it is Amdahl's. */
  readonly because?: "few-points" | "beta-not-told-from-0";
  /** Of the fitted points; null where they are all alike. */
  readonly rSquared: number | null;
  readonly residuals: readonly { readonly cpus: number; readonly measured: number; readonly fitted: number }[];
  /** 95 % by bootstrap of the residuals; null where no residual is left over. */
  readonly intervals: { readonly [P in keyof LawParameters]: Range } | null;
  /** The most CPUs it was fitted to. */
  readonly fittedTo: number;
  /** Where more CPUs begin to cost (USL); null: nowhere. */
  readonly peakCpus: number | null;
  /** What no number of CPUs exceeds (Amdahl); null where there is no such limit. */
  readonly limitPerS: number | null;
}

export interface ScalabilityOptions {
  /** Points above are left out of the fit: beyond the cores, hyper-threads are CPUs of another kind. */
  readonly upTo?: number;
  /** Of the bootstrap. Default 1. */
  readonly seed?: number;
}

/** A law of three parameters needs twice as many sizes before its third can be told. */
const pointsForUsl = 6;
const leastPoints = 3;

/** The law that these points follow; null below three sizes. Repeated sizes may stand in several points. */
export function scalabilityLaw(
  points: readonly ScalingPoint[],
  { upTo = Infinity, seed = 1 }: ScalabilityOptions = {},
): ScalabilityLaw | null {
  const kept = points.filter(({ cpus, perS }) => cpus <= upTo && cpus > 0 && perS > 0);
  const sizes = new Set(kept.map(({ cpus }) => cpus)).size;
  if (sizes < leastPoints) return null;
  if (sizes < pointsForUsl) return { ...described("amdahl", kept, seed), because: "few-points" };
  return uslOf(kept, seed) ?? { ...described("amdahl", kept, seed), because: "beta-not-told-from-0" };
}

/** null where its β could be 0 as well. */
function uslOf(points: readonly ScalingPoint[], seed: number): ScalabilityLaw | null {
  if (fit(points, "usl").beta === 0) return null;
  const usl = described("usl", points, seed);
  return coversZero(usl.intervals?.beta, usl.beta) ? null : usl;
}

/** What a law says of so many CPUs; null beyond twice the most it was fitted to, where nobody knows. */
export function lawAt(law: ScalabilityLaw, cpus: number): number | null {
  return cpus <= 2 * law.fittedTo ? valueOf(law, cpus) : null;
}

function valueOf({ gamma, alpha, beta }: LawParameters, cpus: number): number {
  return (gamma * cpus) / (1 + alpha * (cpus - 1) + beta * cpus * (cpus - 1));
}

/** At the bound an interval ends at exactly 0. */
const coversZero = (interval: Range | undefined, value: number): boolean => (interval?.[0] ?? value) <= 1e-9;

function described(name: ScalabilityLaw["name"], points: readonly ScalingPoint[], seed: number): ScalabilityLaw {
  const law = fit(points, name);
  const fittedTo = Math.max(...points.map(({ cpus }) => cpus));
  return {
    name,
    ...law,
    rSquared: rSquaredOf(law, points),
    residuals: points.map(({ cpus, perS }) => ({ cpus, measured: perS, fitted: valueOf(law, cpus) })),
    intervals: bootstrapped(name, law, points, seed),
    fittedTo,
    peakCpus: law.beta > 0 ? Math.floor(Math.sqrt(Math.max(0, 1 - law.alpha) / law.beta)) : null,
    limitPerS: law.beta === 0 && law.alpha > 0 ? law.gamma / law.alpha : null,
  };
}

/** As N / X = a + b(N − 1) + cN(N − 1) the law is linear in a = 1/γ, b = α/γ and c = β/γ. */
const termsAt = (cpus: number): readonly number[] => [1, cpus - 1, cpus * (cpus - 1)];

/** Which terms may be other than 0: all of them first, then the edges where α or β is 0. */
const edges = { usl: [[0, 1, 2], [0, 2], [0, 1], [0]], amdahl: [[0, 1], [0]] };

/**
 * Least squares of X with α, β ≥ 0. Where the best of all is within the bounds it is the answer; else the best lies on
 * an edge.
 */
function fit(points: readonly ScalingPoint[], name: ScalabilityLaw["name"], tolerance = fine): LawParameters {
  const [whole = [], ...rest] = edges[name];
  const inside = fitTerms(points, whole, tolerance);
  if (inside !== null) return inside;
  const laws = rest.map((terms) => fitTerms(points, terms, tolerance)).filter((law) => law !== null);
  return laws.reduce((best, law) => (squares(law, points) < squares(best, points) ? law : best));
}

const mostSteps = 100;
/** Of each value, when the next step no longer moves it; the ends of an interval need no more than `rough`. */
const [fine, rough] = [1e-9, 1e-5];

/**
 * Non-linear least squares by a row of weighted linear ones; null where a parameter comes out below 0.
 *
 * With y = N / X, X̂ the law's value and φ the terms, the sum of (X − X̂)² is least where Σ (X − X̂) X̂² / N · φ = 0. Because
 * X − X̂ = X X̂ (ŷ − y) / N, that is a linear problem in y with weights X X̂³ / N², once X̂ is known: it is taken from the
 * step before until it no longer moves.
 */
function fitTerms(points: readonly ScalingPoint[], terms: readonly number[], tolerance: number): LawParameters | null {
  const rows = points.map(({ cpus, perS }) => ({
    cpus,
    perS,
    phi: terms.map((term) => termsAt(cpus)[term] as number),
  }));
  let values = points.map(({ perS }) => perS);
  for (let step = 0; step < mostSteps; step++) {
    const law = parametersOf(solved(normalEquations(rows, values)), terms);
    if (law === null) return null;
    const [before, now] = [values, points.map(({ cpus }) => valueOf(law, cpus))];
    if (now.some((value) => !(value > 0 && Number.isFinite(value)))) return null;
    values = now;
    if (now.every((value, index) => Math.abs(value - (before[index] as number)) <= tolerance * value))
      return law.alpha >= 0 && law.beta >= 0 ? law : null;
  }
  return null;
}

/** A point and the terms that may be other than 0 there. */
interface Equation extends ScalingPoint {
  readonly phi: readonly number[];
}

/** Weighted, the right side as last column. */
function normalEquations(rows: readonly Equation[], values: readonly number[]): number[][] {
  const size = rows[0]?.phi.length ?? 0;
  const matrix = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0));
  rows.forEach(({ cpus, perS, phi }, index) => {
    const weight = (perS * (values[index] as number) ** 3) / cpus ** 2;
    for (let row = 0; row < size; row++) {
      const [line, left] = [matrix[row] as number[], weight * (phi[row] as number)];
      for (let column = 0; column < size; column++) (line[column] as number) += left * (phi[column] as number);
      (line[size] as number) += (left * cpus) / perS;
    }
  });
  return matrix;
}

/** Gauss–Jordan of at most three rows, which normal equations let go without a pivot; null where they have no solution. */
function solved(matrix: number[][]): readonly number[] | null {
  for (let at = 0; at < matrix.length; at++) {
    const pivot = matrix[at] as number[];
    const scale = pivot[at] as number;
    if (!(Math.abs(scale) > 0)) return null;
    for (let column = at; column < pivot.length; column++) (pivot[column] as number) /= scale;
    for (const row of matrix) if (row !== pivot) subtract(row, pivot, at);
  }
  return matrix.map((row) => row.at(-1) as number);
}

function subtract(row: number[], pivot: readonly number[], from: number): void {
  const factor = row[from] as number;
  for (let column = from; column < row.length; column++) (row[column] as number) -= factor * (pivot[column] as number);
}

function parametersOf(solution: readonly number[] | null, terms: readonly number[]): LawParameters | null {
  const [a, b, c] = [0, 1, 2].map((term) => solution?.[terms.indexOf(term)] ?? 0) as [number, number, number];
  return a > 0 ? { gamma: 1 / a, alpha: b / a, beta: c / a } : null;
}

const squares = (law: LawParameters, points: readonly ScalingPoint[]): number =>
  points.reduce((sum, { cpus, perS }) => sum + (perS - valueOf(law, cpus)) ** 2, 0);

function rSquaredOf(law: LawParameters, points: readonly ScalingPoint[]): number | null {
  const centre = mean(points.map(({ perS }) => perS)) as number;
  const total = points.reduce((sum, { perS }) => sum + (perS - centre) ** 2, 0);
  return total === 0 ? null : 1 - squares(law, points) / total;
}

const draws = 200;

/** The law of points drawn anew from the residuals, again and again: between which parameters 95 % of these lie. */
function bootstrapped(
  name: ScalabilityLaw["name"],
  law: LawParameters,
  points: readonly ScalingPoint[],
  seed: number,
): ScalabilityLaw["intervals"] {
  const left = points.length - (name === "usl" ? 3 : 2);
  if (left < 1) return null;
  // A fit takes some of the noise into its parameters: what remains is smaller than the noise by this much.
  const inflation = Math.sqrt(points.length / left);
  const residuals = points.map(({ cpus, perS }) => (perS - valueOf(law, cpus)) * inflation);
  const random = randomFrom(seed);
  const laws = Array.from({ length: draws }, () => fit(drawn(points, law, residuals, random), name, rough));
  const range = (of: keyof LawParameters) => middle95(laws.map((one) => one[of]));
  return { gamma: range("gamma"), alpha: range("alpha"), beta: range("beta") };
}

function drawn(
  points: readonly ScalingPoint[],
  law: LawParameters,
  residuals: readonly number[],
  random: () => number,
): readonly ScalingPoint[] {
  return points.map(({ cpus }) => {
    const residual = residuals[Math.floor(random() * residuals.length)] as number;
    // A rate is above 0, however large a residual of another size.
    return { cpus, perS: Math.max(valueOf(law, cpus) + residual, valueOf(law, cpus) / 100) };
  });
}

function middle95(values: readonly number[]): Range {
  const ordered = values.toSorted((left, right) => left - right);
  const edge = Math.floor(ordered.length * 0.025);
  return [ordered[edge] as number, ordered[ordered.length - 1 - edge] as number];
}
