import { warning, type Cell, type Load, type Result, type Run } from "../contract";
import { cellFigures } from "../measure";
import { recordedCell, recordedResult } from "./recorded-cell";
import { recordedRun } from "./recorded-run";

/** A result with some of everything a report can show, for tests: none of it was measured. */
export function exampleResult(): Result {
  return recordedResult([...capacity(), ...atRates(), ...handshakes(), ...overCpus()], {
    skipped: [
      {
        gateway: "envoy",
        scenario: "jwt",
        generator: "wrk",
        reason: 'unsupported-policy: envoy cannot enforce jwt in scenario "login" <as asked>.',
      },
    ],
  });
}

/** So many cells, of many loads. */
export function manyCells(count: number): Result {
  const gateways = ["direct", "nginx", "envoy", "kong", "tyk"];
  const sizes = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128];
  const cells = Array.from({ length: count }, (_, index) => {
    const [gateway, workers] = [gateways[index % 5] as string, sizes[Math.floor(index / 5) % 10] as number];
    const scenario = Math.floor(index / 50);
    const benchmark = `wrk-${scenario}-${workers}`;
    return measured(gateway, benchmark, Math.round(9000 * workers ** 0.8 * (1 + (index % 5))), {
      scenario: `scenario-${scenario}`,
      scenarioAsked: { name: `scenario-${scenario}` },
      size: { name: `cpus-${workers}`, cpus: 128, workers, instanceType: "c5.32xlarge" },
    });
  });
  return recordedResult(cells);
}

const noise = [0.994, 1.003, 0.998, 1.006, 1.001, 0.997];

/** A cell whose runs are as far apart as runs are. */
function measured(
  gateway: string,
  benchmark: string,
  perS: number,
  changes: Partial<Cell> & { readonly p99Ms?: number } = {},
): Cell {
  const { p99Ms = 2, load = closed, ...others } = changes;
  const factors = noise.map((_, index) => noise[(index + gateway.length) % noise.length] as number);
  const runs = factors.map((factor, index) => runOf(perS * factor, p99Ms * factor, load, index));
  const isTls = others.scenario === "tls-transactions";
  const answer = isTls ? runs.map((run, index) => ({ ...run, tlsTps: perS * (factors[index] as number) })) : runs;
  const isPath = gateway === "direct";
  const { tlsTps, ...figures } = cellFigures(answer);
  return recordedCell({
    ...{
      id: `${benchmark}/${gateway}`,
      benchmark,
      gateway,
      load,
      generator: "wrk",
      baseline: isPath ? null : `${benchmark}/direct`,
    },
    ...{
      purpose: isPath ? "ceiling" : "capacity",
      runs: answer,
      byHand: `wrk -t1 -c32 --latency http://127.0.0.1:8001/${gateway}/`,
    },
    ...figures,
    tlsTps: isTls ? tlsTps : null,
    verdict: { rps: "indicative", p99Ms: "indicative", tlsTps: isTls ? "indicative" : null, warnings: [shared] },
    ...others,
    p99Ms: figures.p99Ms,
  });
}

const closed: Load = { model: "closed", connections: 32, duration: "10s" };
const shared = warning("hosts-shared", "indicative", ["rps", "p99Ms", "tlsTps"], {
  roles: "gateway, generator and upstream",
});

function runOf(rps: number, p99: number, asked: Load, index: number): Run {
  const run = recordedRun({ id: `${index}`.padStart(16, "0"), order: index + 1, asked });
  if (!("result" in run.outcome)) return run;
  const { result } = run.outcome;
  return { ...run, outcome: { result: { ...result, rps, latencyMs: { ...result.latencyMs, p99 } } } };
}

const capacity = (): readonly Cell[] => [
  measured("direct", "wrk-plain", 101_989, { p99Ms: 4.16 }),
  measured("nginx", "wrk-plain", 36_439, { p99Ms: 6.08 }),
  measured("envoy", "wrk-plain", 21_518, { p99Ms: 9.71 }),
  measured("haproxy", "wrk-plain", 36_480, { p99Ms: 6.02 }),
  measured("wrong", "wrk-plain", 987_654, {
    p99Ms: 0.11,
    verdict: {
      ...{ rps: "invalid", p99Ms: "invalid", tlsTps: null },
      warnings: [
        shared,
        warning("counts-disagree", "invalid", ["rps", "p99Ms"], {
          between: "wrk and wrong",
          left: 10,
          right: 5,
          allowed: 1,
        }),
      ],
    },
  }),
];

const atRates = (): readonly Cell[] =>
  [500, 1000, 2000, 4000].flatMap((ratePerS) =>
    [
      ["direct", 0.4],
      ["nginx", 0.9],
      ["envoy", 1.6],
    ].map(([gateway, p99Ms]) =>
      measured(gateway as string, `k6-plain-${ratePerS}`, ratePerS, {
        generator: "k6",
        load: { model: "open", ratePerS, maxInFlight: 100, duration: "10s" },
        p99Ms: (p99Ms as number) * (1 + ratePerS / (gateway === "envoy" ? 1500 : 5000)),
        purpose: gateway === "direct" ? "ceiling" : "at-rate",
      }),
    ),
  );

const handshakes = (): readonly Cell[] =>
  [
    ["direct", 2900],
    ["nginx", 1700],
    ["envoy", 1250],
  ].map(([gateway, perS]) =>
    measured(gateway as string, "wrk-tls-transactions", perS as number, {
      scenario: "tls-transactions",
      scenarioAsked: { name: "tls-transactions", scheme: "https", upstream: { responseBytes: 0 } },
      load: { ...closed, connection: "per-request" },
      p99Ms: 31.4,
    }),
  );

const overCpus = (): readonly Cell[] =>
  [1, 2, 4, 8, 16, 24, 32].flatMap((workers) =>
    [
      ["nginx", 45_000, 0.08],
      ["envoy", 24_000, 0.03],
    ].map(([gateway, one, alpha]) =>
      measured(
        gateway as string,
        `wrk-keys-${workers}`,
        ((one as number) * workers) / (1 + (alpha as number) * (workers - 1) + 0.0008 * workers * (workers - 1)),
        {
          ...{ scenario: "key-auth", scenarioAsked: { name: "key-auth", auth: "key" }, baseline: null },
          size: { name: "c7i.8xlarge", cpus: 32, workers, instanceType: "c7i.8xlarge" },
        },
      ),
    ),
  );
