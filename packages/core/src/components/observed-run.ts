import {
  FaultError,
  expectedStatuses,
  type Failure,
  type GeneratorAdapter,
  type JobOutput,
  type LoadResult,
  type Purpose,
  type Run,
  type Step,
} from "../contract";
import type { JobRecord } from "../hosts/job-record";
import { cpuMicrosPerRequest, runWarnings, tlsTpsOf, type RunFacts } from "../measure";
import type { GatewayUnderTest } from "./gateway-under-test";

/** What a host left of one job, and what was asked of it. */
export interface Observed {
  readonly record: JobRecord;
  readonly step: Step;
  readonly order: number;
  readonly name: string;
  readonly command: readonly string[];
  readonly target: Pick<GatewayUnderTest, "deployment" | "scenario" | "workers" | "isBaseline">;
  readonly adapter: GeneratorAdapter;
  readonly purpose: Purpose;
  readonly resumptionRefused: boolean;
}

/** A host's record as a run: parsed, counted, warned about. What cannot be parsed is a failure of the run, not of the program. */
export function observedRun(observed: Observed): Run {
  const { record, step, order, name, command } = observed;
  const outcome = "failure" in record.outcome ? record.outcome : parsed(observed, record.outcome.output);
  return {
    id: record.execution,
    order,
    target: name,
    purpose: step.purpose,
    asked: step.load,
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    outcome,
    hosts: record.hosts,
    counters: record.counters,
    ...(record.figures ? { figures: record.figures } : {}),
    command: [...command],
    artifacts: record.artifacts,
    ...("result" in outcome ? judged(observed, outcome.result) : { warnings: [] }),
  };
}

function parsed(
  { adapter, step, target, record }: Observed,
  output: JobOutput,
): { readonly result: LoadResult } | { readonly failure: Failure } {
  try {
    const result = adapter.parse(output, { load: step.load, expect: expectedStatuses(target.deployment.requests) });
    return {
      result:
        record.toolVersion === undefined
          ? result
          : { ...result, tool: { version: record.toolVersion, ...result.tool } },
    };
  } catch (error) {
    return { failure: { code: "unparsed-output", message: messageOf(error), excerpt: lastWords(output) } };
  }
}

const messageOf = (error: unknown): string => (error instanceof FaultError ? error.message : (error as Error).message);
const lastWords = ({ stdout, stderr }: JobOutput): string => `${stdout.slice(-500)}${stderr.slice(-500)}`.trim();

function judged(
  { record, step, target, adapter, purpose, resumptionRefused }: Observed,
  result: LoadResult,
): Pick<Run, "warnings" | "tlsTps" | "cpuMicrosPerRequest"> {
  const { scenario, workers, isBaseline } = target;
  const facts: RunFacts = {
    asked: step.load,
    result,
    counters: record.counters,
    lost: record.lost ?? [],
    hosts: record.hosts,
    scenario,
    purpose,
    isBaseline,
    workers,
    resumptionRefused,
    emptyConnections: adapter.reports.emptyConnections,
  };
  const tlsTps = tlsTpsOf(facts);
  const micros = cpuMicrosPerRequest(record.hosts, record.counters.gateway?.requests ?? result.responses);
  return {
    warnings: [...runWarnings(facts)],
    ...(tlsTps === undefined ? {} : { tlsTps }),
    ...(micros === undefined ? {} : { cpuMicrosPerRequest: micros }),
  };
}
