import {
  checkScenario,
  fault,
  faultsBehind,
  refusalOf,
  schemaFaults,
  type Fault,
  type Scenario,
  type UpstreamBehaviour,
} from "@gatebench/core";
import { containerUpstream, goBenchSuite, ping, staticPayload, type UpstreamApp } from "@gatebench/core/upstreams";
import { z } from "zod";
import type { MeasuredSettings } from "./measured-settings";

const named: Readonly<Record<string, (asked: MeasuredSettings) => UpstreamApp>> = {
  "static-payload": () => staticPayload(),
  "go-bench-suite": () => goBenchSuite(),
  ping: ({ upstreamImage: image, upstreamLimits: limits }) => ping({ image, limits }),
};

const texts = z.record(z.string(), z.string());
/** `ContainerUpstreamOptions`, as far as a line of configuration can say them. */
const containerSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "a name is kebab-case: small letters, digits and hyphens"),
  image: z.string(),
  command: z.array(z.string()).min(1),
  port: z.int().min(1).max(65_535).optional(),
  path: z.string().regex(/^\//, "a path begins with a slash").optional(),
  readyPath: z.string().regex(/^\//, "a path begins with a slash").optional(),
  body: z.string().optional(),
  echoPath: z.string().optional(),
  env: texts.optional(),
  files: texts.optional(),
  version: z.string().optional(),
  counters: z
    .array(z.strictObject({ path: z.string(), port: z.int().optional(), values: texts.optional() }))
    .optional(),
});

/** What answers behind the gateway: one of ours by name, or any container. */
export function upstreamApp(asked: MeasuredSettings): UpstreamApp {
  const { upstream } = asked;
  const make = Object.hasOwn(named, upstream) ? named[upstream] : undefined;
  return make ? make(asked) : container(upstream);
}

function container(text: string): UpstreamApp {
  if (!text.trimStart().startsWith("{")) throw refusalOf([unknown(text)]);
  const given = jsonIn(text);
  const parsed = containerSchema.safeParse(given);
  if (!parsed.success)
    throw refusalOf(given === undefined ? [notJson] : schemaFaults("invalid-option", "config.upstream", parsed.error));
  try {
    return containerUpstream(parsed.data);
  } catch (error) {
    throw refusalOf(faultsBehind(error) ?? [fault("invalid-option", `config.upstream: ${(error as Error).message}`)]);
  }
}

const unknown = (text: string): Fault =>
  fault(
    "invalid-option",
    `config.upstream: "${text}" is not one. Known: ${Object.keys(named).join(", ")}. Choose one, or give a container in full, such as {"name":"app","image":"registry.example/app:1.2.3","command":["app"],"port":8080}.`,
  );

const notJson = fault("invalid-option", "config.upstream begins like a container in full, and is no JSON.");

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is asked of it: as the scenario says, and the size of an answer where it can be told one. */
export function behaviourOf(
  { responseBytes }: MeasuredSettings,
  { upstream = {} }: Scenario,
  app: UpstreamApp,
): UpstreamBehaviour {
  const sized = { responseBytes, ...upstream };
  return responseBytes === undefined || app.unsupported({ responseBytes }).length > 0 ? upstream : sized;
}

/** Whether a baseline over https can be measured with it. */
export const servesTls = (app: UpstreamApp): boolean => app.unsupported({}, true).length === 0;

/** What it cannot do, on the machines there are. */
export function upstreamFaults(asked: MeasuredSettings, scenario: Scenario, app: UpstreamApp): readonly Fault[] {
  const { count = 1, ...behaviour } = behaviourOf(asked, scenario, app);
  return [
    ...pingFaults(asked),
    ...checkScenario({ name: "upstream", upstream: { ...behaviour, count } }),
    ...app.unsupported({ ...behaviour, count: Math.ceil(count / asked.upstreamMachines) }),
  ];
}

function pingFaults({ upstream, upstreamImage, upstreamLimits }: MeasuredSettings): readonly Fault[] {
  const option = (message: string) => fault("invalid-option", message);
  if (upstream === "ping")
    return upstreamImage === undefined
      ? [
          option(
            "config.upstreamImage is missing: no public registry has ping. Build it from services/Dockerfile for a registry of yours (services/README.md), and give its name.",
          ),
        ]
      : [];
  return upstreamImage === undefined && upstreamLimits === undefined
    ? []
    : [option(`config.upstreamImage and upstreamLimits are ping's, and the upstream is ${upstream}. Leave them out.`)];
}
