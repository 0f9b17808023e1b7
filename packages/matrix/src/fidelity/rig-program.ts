import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  UpstreamHost,
  type GeneratorAdapter,
  type Step,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { steps } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { saturated, scenario, type FidelityPlan } from "./fidelity-plan";

/** A load that both sides send, each with one generator. */
export type Course = "paced" | "saturated";
export const courses: readonly Course[] = ["paced", "saturated"];

export type Steps = Readonly<Record<Course, readonly Step[]>>;

export const generatorOf = ({ pacing, saturating }: FidelityPlan, course: Course): GeneratorAdapter =>
  course === "paced" ? pacing : saturating;

/** One upstream, one gateway, and both courses in front of them: more steps are more runs, and change nothing else. */
export function rigProgram(plan: FidelityPlan, planned: Steps, runId: string): Readonly<Record<Course, Benchmark>> {
  const site = new LocalTopology("site");
  const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
  const { gateway: adapter } = plan;
  const target = new GatewayUnderTest(adapter.name, { host: site.gateway, adapter, upstream, scenario });
  const benchmark = (course: Course) =>
    new Benchmark(`${course}-load`, {
      generator: new LoadGenerator(course, { host: site.generator, adapter: generatorOf(plan, course) }),
      target,
      load: saturated,
      protocol: steps([...planned[course]]),
      purpose: course === "paced" ? "at-rate" : undefined,
      runId,
    });
  return { paced: benchmark("paced"), saturated: benchmark("saturated") };
}
