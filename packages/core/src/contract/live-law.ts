import type { ResolvedScenario } from "./scenario";
import type { RequestSpec } from "./deployment";

/** What is asked of a running gateway, from the generator's host. */
export interface LiveTarget {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  readonly requests: readonly RequestSpec[];
  /** How many upstreams stand behind it, by the name each gives in its `x-upstream` header. */
  readonly upstreams: readonly string[];
}

/**
 * One thing to try, as data. `http` is carried out by curl, `tls` by openssl; the host that runs them decides how.
 * Several requests of one `http` probe go one after another over one connection, unless `connections` is "each".
 */
export type Probe =
  | {
      readonly kind: "http";
      readonly name: string;
      readonly request: RequestSpec;
      readonly times: number;
      readonly connections: "one" | "each";
      readonly tls?: { readonly version?: "1.2" | "1.3"; readonly cipher?: string };
    }
  | { readonly kind: "tls"; readonly name: string; readonly version?: "1.2" | "1.3"; readonly resume?: "id" | "ticket" }
  | { readonly kind: "counters"; readonly name: string };

/** What came back, by the probe's name. */
export type Observations = Readonly<Record<string, Observation>>;

export type Observation =
  | {
      readonly kind: "http";
      readonly responses: readonly {
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly bodySha256: string;
        readonly bodyBytes: number;
      }[];
      readonly error?: string;
    }
  | {
      readonly kind: "tls";
      readonly connected: boolean;
      readonly version?: string;
      readonly cipher?: string;
      readonly curve?: string;
      readonly keyBits?: number;
      readonly reused: readonly boolean[];
      readonly error?: string;
    }
  | {
      readonly kind: "counters";
      readonly gateway?: Readonly<Record<string, number>>;
      readonly upstream?: Readonly<Record<string, number>>;
    };

/** held: shown to be so. broken: shown not to be so. untested: cannot be shown here, with the reason. */
export type Finding =
  | { readonly verdict: "held" }
  | { readonly verdict: "broken"; readonly reason: string }
  | { readonly verdict: "untested"; readonly reason: string };

/**
 * Something every gateway must do while it runs, if the scenario asks for it.
 *
 * Probes are data, carried out as one job from where the load will come; `check` is pure. The same list verifies a
 * target before every benchmark: a gateway that breaks one is never measured.
 */
export interface LiveLaw {
  /** A sentence: "refuses a wrong credential". */
  readonly name: string;
  appliesTo(scenario: ResolvedScenario): boolean;
  probes(scenario: ResolvedScenario, target: LiveTarget): readonly Probe[];
  check(observations: Observations, scenario: ResolvedScenario, target: LiveTarget): Finding;
}

/** What the verify step found of one target. */
export interface Verification {
  readonly target: string;
  readonly laws: readonly { readonly law: string; readonly finding: Finding }[];
}

/** The laws a target breaks; empty: it may be measured. */
export function broken({ laws }: Verification): readonly { readonly law: string; readonly reason: string }[] {
  return laws.flatMap(({ law, finding }) => (finding.verdict === "broken" ? [{ law, reason: finding.reason }] : []));
}
