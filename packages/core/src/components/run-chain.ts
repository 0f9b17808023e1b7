import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { secondsOf, type Job, type Purpose, type Run, type Step, type Verification } from "../contract";
import type { Link, RunOrder } from "../hosts/host";
import { resumptionRefused } from "../laws";
import type { JobRecord } from "../hosts/job-record";
import { observedOrder, type Course } from "./course";
import { identityOf } from "../hosts/identity";
import type { LoadGenerator } from "./load-generator";
import type { GatewayUnderTest } from "./gateway-under-test";
import { observedRun } from "./observed-run";
import { rawFolder } from "./raw-folder";
import { verifyTarget } from "./verify-step";

/**
 * Everything known of one target after some of its runs.
 *
 * The history is a function because Pulumi walks through every array within a value, at every step of the chain: of
 * forty runs with their histograms it would hold a gigabyte and take seconds.
 */
interface State {
  readonly history: () => readonly Run[];
  readonly execution: string;
}

/**
 * The runs of one target, each made from those before it.
 *
 * The ids form a chain per target, so that a change in the middle reruns what follows it and nothing else; the order
 * among targets is kept by `dependsOn`, which re-measures nothing.
 */
export class RunChain {
  readonly verification: pulumi.Output<Verification>;
  /** The resource the next run of any target waits for. */
  last: pulumi.Resource;
  #state: pulumi.Output<State>;
  #runs = 0;

  constructor(
    readonly name: string,
    readonly target: GatewayUnderTest,
    private readonly course: Course,
    after: readonly pulumi.Resource[],
  ) {
    const verified = verifyTarget(name, target, course, after);
    this.verification = verified.verification;
    this.#state = firstState(verified.link, course.generator);
    this.last = verified.resource;
  }

  get purpose(): Purpose {
    return this.course.purpose ?? (this.target.isBaseline ? "ceiling" : "capacity");
  }

  get history(): pulumi.Output<readonly Run[]> {
    return this.#state.apply(({ history }) => history()) as pulumi.Output<readonly Run[]>;
  }

  /** Plans one more run; what it does, if anything, is decided when those before it have ended. */
  extend(
    order: number,
    after: pulumi.Resource,
  ): { readonly run: pulumi.Output<Run | undefined>; readonly folder: pulumi.Output<string | undefined> } {
    this.#runs += 1;
    const { benchmark, session, parent } = this.course;
    // Decided when the run before it has ended, whosever that was: a protocol may be asked to stop meanwhile.
    const known = pulumi.all([this.#state, this.verification, ended(after)]) as unknown as pulumi.Output<
      [State, Verification]
    >;
    const step = known.apply(([{ history }, verification]) =>
      nextStep(this.course, history(), verification),
    ) as pulumi.Output<Step | undefined>;
    const number = this.#runs;
    const what = step.apply(
      (next) => next && orderOf(this.course, this.name, this.target, next, number),
    ) as pulumi.Output<RunOrder | undefined>;
    const before = this.#state.apply(({ execution }) => execution);
    const { resource, link } = session.run(`${benchmark}-${this.name}-${number}`, before, what, {
      parent,
      dependsOn: after,
    });
    this.last = this.#collected(order, resource, link) ?? resource;
    const run = this.#observed(order, link, step);
    this.#state = grown(this.#state, link, run);
    return { run, folder: link.apply(({ record }) => record?.folder) };
  }

  /** Before the next run begins, or it would be loaded on the way. */
  #collected(order: number, ran: pulumi.Resource, link: pulumi.Output<Link>): pulumi.Resource | undefined {
    const { benchmark, label, session, parent, results } = this.course;
    if (results === undefined) return undefined;
    const to = ({ execution: id }: JobRecord) => resolve(results, rawFolder(label, { target: this.name, id, order }));
    return session.collect(`${benchmark}-${this.name}-${this.#runs}-artifacts`, link, to, { parent, dependsOn: ran });
  }

  #observed(
    order: number,
    link: pulumi.Output<Link>,
    step: pulumi.Output<Step | undefined>,
  ): pulumi.Output<Run | undefined> {
    const known = pulumi.all([link, step, this.verification]) as unknown as pulumi.Output<
      [Link, Step | undefined, Verification]
    >;
    return known.apply(
      ([{ record }, next, verification]) => record && next && this.#runOf(order, record, next, verification),
    ) as pulumi.Output<Run | undefined>;
  }

  #runOf(order: number, record: JobRecord, step: Step, verification: Verification): Run {
    const { name, target, purpose } = this;
    const { adapter } = this.course.generator;
    const { command } = jobOf(this.course, target, step);
    return observedRun({
      record,
      step,
      order,
      name,
      command,
      target,
      adapter,
      purpose,
      resumptionRefused: resumptionRefused(verification),
    });
  }
}

/** When a resource is there. A promise, as an output would make its replacement that of everything behind it. */
const ended = (resource: pulumi.Resource): Promise<void> =>
  new Promise((resolve) => resource.urn.apply(() => resolve()));

/** Runs are made of the generator's crew too: another one runs them again. */
function firstState(verified: pulumi.Output<Link>, { crew, identity }: LoadGenerator): pulumi.Output<State> {
  const known = pulumi.all([verified, identity]) as unknown as pulumi.Output<[Link, string]>;
  return known.apply(([{ execution }, crewId]) => ({
    history: () => [],
    execution: crew.length === 0 ? execution : identityOf(execution, crewId),
  })) as pulumi.Output<State>;
}

function grown(
  state: pulumi.Output<State>,
  link: pulumi.Output<Link>,
  run: pulumi.Output<Run | undefined>,
): pulumi.Output<State> {
  const known = pulumi.all([state, link, run]) as unknown as pulumi.Output<[State, Link, Run | undefined]>;
  return known.apply(([{ history }, { execution }, latest]) => {
    const runs = latest ? [...history(), latest] : history();
    return { execution, history: () => runs };
  }) as pulumi.Output<State>;
}

/** A gateway that fails verification is never measured. */
function nextStep({ load, protocol }: Course, history: readonly Run[], { laws }: Verification): Step | undefined {
  return laws.some(({ finding }) => finding.verdict === "broken") ? undefined : protocol.next(load, history);
}

function orderOf(course: Course, name: string, target: GatewayUnderTest, step: Step, number: number): RunOrder {
  const { generator, benchmark, observatory } = course;
  return {
    ...observedOrder(name, target, generator.crew, observatory?.workloads),
    ...(observatory ? { observatory: observatory.order(target, generator) } : {}),
    label: `${benchmark}: ${generator.adapter.name} → ${name}, run ${number} (${step.purpose})`,
    job: jobOf(course, target, step),
    coolDownS: step.coolDown ? secondsOf(step.coolDown) : 0,
  };
}

function jobOf({ generator, observatory }: Course, target: GatewayUnderTest, step: Step): Job {
  const { job } = generator.plan(step.load, target.aim);
  return observatory?.beside(job, generator) ?? job;
}
