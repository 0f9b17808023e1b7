import { lawAt, scalabilityLaw, type LawParameters, type ScalingPoint } from "./scalability-law";

const sizes = [1, 2, 4, 8, 16, 24, 32];
const valueOf = ({ gamma, alpha, beta }: LawParameters, n: number) =>
  (gamma * n) / (1 + alpha * (n - 1) + beta * n * (n - 1));
/** Points of a known law; each off by so much of itself, up and down in turn. */
const pointsOf = (law: LawParameters, off = 0, of = sizes): readonly ScalingPoint[] =>
  of.map((cpus, index) => ({ cpus, perS: valueOf(law, cpus) * (1 + (index % 2 === 0 ? off : -off)) }));
const squares = (law: LawParameters, points: readonly ScalingPoint[]) =>
  points.reduce((sum, { cpus, perS }) => sum + (perS - valueOf(law, cpus)) ** 2, 0);

/** The table NGINX published for its ingress controller. */
const nginx = [45, 80, 135, 175, 237, 290, 300].map((thousands, index) => ({
  cpus: [1, 2, 4, 8, 16, 32, 36][index] as number,
  perS: thousands * 1000,
}));

test("the law that made the points is found again", () => {
  for (const truth of [
    { gamma: 45_000, alpha: 0.05, beta: 0.001 },
    { gamma: 1_000, alpha: 0.3, beta: 0.01 },
    { gamma: 7, alpha: 0, beta: 0.002 },
  ]) {
    const law = scalabilityLaw(pointsOf(truth));
    expect(law).toMatchObject({ name: "usl" });
    expect(law?.gamma).toBeCloseTo(truth.gamma, 3);
    expect(law?.alpha).toBeCloseTo(truth.alpha, 6);
    expect(law?.beta).toBeCloseTo(truth.beta, 6);
    expect(law?.rSquared).toBeCloseTo(1, 9);
  }
});

test("of noisy points, no law within the bounds has smaller squares", () => {
  for (const [off, truth] of [
    [0.02, { gamma: 45_000, alpha: 0.05, beta: 0.001 }],
    [0.1, { gamma: 45_000, alpha: 0.2, beta: 0.004 }],
    [0.3, { gamma: 900, alpha: 0.01, beta: 0 }],
    [0.2, { gamma: 900, alpha: 0, beta: 0.02 }],
  ] as const) {
    const points = pointsOf(truth, off);
    const law = scalabilityLaw(points) as NonNullable<ReturnType<typeof scalabilityLaw>>;
    for (const gamma of [0.9, 0.999, 1, 1.001, 1.1])
      for (const alpha of [-0.01, -0.0001, 0, 0.0001, 0.01, 0.1])
        for (const beta of law.name === "usl" ? [-0.001, -0.00001, 0, 0.00001, 0.001] : [0]) {
          const other = {
            gamma: law.gamma * gamma,
            alpha: Math.max(0, law.alpha + alpha),
            beta: Math.max(0, law.beta + beta),
          };
          expect(squares(law, points)).toBeLessThanOrEqual(squares(other, points) * (1 + 1e-9));
        }
  }
});

test("fewer than six sizes are Amdahl's, and so are points that tell no beta", () => {
  const truth = { gamma: 100, alpha: 0.1, beta: 0.001 };
  expect(scalabilityLaw(pointsOf(truth, 0.01, [1, 2, 4, 8, 16]))).toMatchObject({
    name: "amdahl",
    because: "few-points",
  });
  expect(scalabilityLaw(pointsOf({ ...truth, beta: 0 }, 0.02))).toMatchObject({
    name: "amdahl",
    because: "beta-not-told-from-0",
    beta: 0,
    peakCpus: null,
  });
  expect(scalabilityLaw(pointsOf(truth, 0, [1, 2]))).toBeNull();
});

test("more than linear is linear at most: alpha and beta never fall below 0", () => {
  const law = scalabilityLaw(sizes.map((cpus) => ({ cpus, perS: 10 * cpus ** 1.2 })));
  expect(law).toMatchObject({ alpha: 0, beta: 0, limitPerS: null });
});

test("the published table of NGINX is fitted up to 16 CPUs and followed to 32, no further", () => {
  const law = scalabilityLaw(nginx, { upTo: 16 }) as NonNullable<ReturnType<typeof scalabilityLaw>>;
  expect(law).toMatchObject({ name: "amdahl", because: "few-points", fittedTo: 16 });
  expect(law.residuals.map(({ cpus }) => cpus)).toEqual([1, 2, 4, 8, 16]);
  expect(law.gamma).toBeGreaterThan(40_000);
  expect(law.gamma).toBeLessThan(50_000);
  expect(law.rSquared).toBeGreaterThan(0.98);
  expect(lawAt(law, 32)).toBeGreaterThan(237_000);
  expect(lawAt(law, 36)).toBeNull();
  expect(law.limitPerS).toBeCloseTo(law.gamma / law.alpha, 6);
});

test("where more CPUs cost, the law says from how many on", () => {
  expect(scalabilityLaw(pointsOf({ gamma: 100, alpha: 0.1, beta: 0.0036 }))?.peakCpus).toBe(15);
});

test("intervals hold what they were made around, and are the same each time", () => {
  const truth = { gamma: 45_000, alpha: 0.05, beta: 0.001 };
  const [law, again] = [scalabilityLaw(pointsOf(truth, 0.01)), scalabilityLaw(pointsOf(truth, 0.01))];
  expect(law).toEqual(again);
  for (const [name, value] of Object.entries(truth) as [keyof LawParameters, number][]) {
    const [lower, upper] = law?.intervals?.[name] ?? [NaN, NaN];
    expect(lower).toBeLessThan(value);
    expect(upper).toBeGreaterThan(value);
    expect(upper - lower).toBeGreaterThan(0);
  }
});

test("a law is fitted in a few milliseconds", () => {
  const started = performance.now();
  for (let times = 0; times < 20; times++) scalabilityLaw(nginx, { seed: times });
  expect((performance.now() - started) / 20).toBeLessThan(100);
});
