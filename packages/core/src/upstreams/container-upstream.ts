import {
  fault,
  FaultError,
  reference,
  refuse,
  unknownReferences,
  type CounterPage,
  type Duration,
  type Fault,
  type MetricsPage,
  type UpstreamBehaviour,
  type Workload,
} from "../contract";
import { bytesOf, type ExpectedBody } from "./expected-body";
import type { UpstreamApp, UpstreamSite } from "./upstream-app";

type OfWorkload = Pick<Workload, "image" | "command"> &
  Partial<
    Pick<Workload, "dockerfile" | "programs" | "env" | "files" | "limits" | "cpuset" | "openFiles" | "versionCommand">
  >;

/** Every text may hold `<gatebench:port.http>` and `<gatebench:workers>`, beside those of every workload, such as `<gatebench:bind>`. */
export interface ContainerUpstreamOptions extends OfWorkload {
  /** Kebab-case; stands in results. */
  readonly name: string;
  /**
   * Where it listens, if it cannot be told where to: then there can be one on a host.
   * @default the host's choice, which some text must hand on as `<gatebench:port.http>`
   */
  readonly port?: number;
  /**
   * What a generator asks for. It answers with 200 when it is ready.
   * @default "/"
   */
  readonly path?: string;
  /**
   * Where it answers with 200 when it is ready, without counting it: a cluster asks every second.
   * @default path
   */
  readonly readyPath?: string;
  /** What it answers with, where that is known in advance. Without, that gateways leave it unchanged is not tested. */
  readonly body?: string | ExpectedBody;
  /** Where it answers with the body it was sent. */
  readonly echoPath?: string;
  /** Pages on which it counts, on the same port where none is given. */
  readonly counters?: readonly (Omit<CounterPage, "port"> & { readonly port?: number })[];
  /** Pages with metrics in Prometheus' format, and figures made of them, for an observatory; on the same port where none is given. */
  readonly metrics?: readonly (Omit<MetricsPage, "port"> & { readonly port?: number })[];
  /** How long it may take to start. @default "15s" */
  readonly within?: Duration;
  /** As results state it. @default the tag of the image */
  readonly version?: string;
}

/**
 * Any image as an upstream, from plain data. It answers as it does: a size or delay asked for is refused.
 *
 * @example
 * containerUpstream({
 *   name: "echo",
 *   image: "registry.example/echo:1.2.3",
 *   command: ["echo-server", "--listen", "<gatebench:bind>:<gatebench:port.http>"],
 *   path: "/hello",
 *   body: "hello\n",
 * })
 */
export function containerUpstream(options: ContainerUpstreamOptions): UpstreamApp {
  const { name, port, path = "/", echoPath, counters = [], metrics = [] } = options;
  const body = bodyOf(options);
  refuse(optionFaults(options));
  const portOf = (ports: Readonly<Record<string, number>>) => port ?? (ports.http as number);
  return {
    name,
    version: options.version ?? tagOf(options),
    ports: port === undefined ? ["http"] : [],
    ...(echoPath === undefined ? {} : { echo: { path: echoPath } }),
    unsupported: (behaviour, tls) => unsupported(options, behaviour, tls),
    answer: () => ({ path, ...(body && { body }) }),
    workload: (site) => workload(options, portOf(site.ports), site),
    address: (host, ports) => ({ host, port: portOf(ports) }),
    counters: (ports) => counters.map((page) => ({ port: portOf(ports), ...page })),
    metrics: (ports) => metrics.map((page) => ({ port: portOf(ports), ...page })),
  };
}

const bodyOf = ({ body }: Pick<ContainerUpstreamOptions, "body">): ExpectedBody | undefined =>
  typeof body === "string" ? { text: body } : body;

function workload(options: ContainerUpstreamOptions, port: number, { index, workers }: UpstreamSite): Workload {
  const {
    image,
    dockerfile,
    programs,
    openFiles = 65_536,
    limits,
    cpuset,
    path = "/",
    readyPath = path,
    within,
  } = options;
  const { command, env, files, versionCommand } = onSite(startedOf(options), port, workers);
  return {
    ...{ name: `upstream-${index}`, role: "upstream", image, dockerfile, command, programs, env, files },
    ...{ limits, cpuset, openFiles, versionCommand },
    ports: { http: port },
    readiness: { port, path: readyPath, within },
  };
}

/** What may hold references of the site. */
const startedOf = ({ command, env, files, versionCommand }: ContainerUpstreamOptions) => ({
  ...{ command, env, files, versionCommand },
});

const ofSite = ["port.http", "workers"];

function onSite<T>(started: T, port: number, workers: number): T {
  const text = JSON.stringify(started);
  return JSON.parse(
    text.replaceAll(reference("port.http"), `${port}`).replaceAll(reference("workers"), `${workers}`),
  ) as T;
}

function optionFaults(options: ContainerUpstreamOptions): readonly Fault[] {
  const { name, port } = options;
  const text = JSON.stringify(startedOf(options));
  const told = text.includes(reference("port.http"));
  return [
    ...unknownReferences([text], ofSite, `upstream ${name}`),
    ...(told || port !== undefined
      ? []
      : [
          fault(
            "invalid-option",
            `upstream ${name} is not told where to listen. Put <gatebench:port.http> where its command, env or files take a port, or give the "port" it always has.`,
          ),
        ]),
  ];
}

function unsupported(
  { name, port, body: given }: ContainerUpstreamOptions,
  { count = 1, responseBytes, delay }: UpstreamBehaviour,
  tls = false,
): readonly Fault[] {
  const body = bodyOf({ body: given });
  const asked = [
    ...(delay === undefined ? [] : [`wait ${delay} before it answers`]),
    ...(responseBytes === undefined || (body && responseBytes === bytesOf(body))
      ? []
      : [`answer with ${responseBytes} bytes`]),
    ...(port !== undefined && count > 1
      ? [`be there ${count} times on one host, because it always listens on ${port}`]
      : []),
    ...(tls ? ["serve a TLS profile"] : []),
  ];
  return asked.map((what) =>
    fault(
      "unsupported-policy",
      `the upstream ${name} cannot ${what}. It can: answer as its image and command do. Drop that, or choose an upstream that can, such as static-payload or go-bench-suite.`,
    ),
  );
}

/** What stands behind the last colon of an image, but for a registry's port. */
function tagOf({ name, image }: ContainerUpstreamOptions): string {
  const [, tag] = /:([^:/]+)$/.exec(image) ?? [];
  if (tag !== undefined) return tag;
  throw new FaultError([
    fault(
      "invalid-option",
      `upstream ${name} runs the image ${image}, which names no version. Give it a tag, as in ${image}:1.2.3.`,
    ),
  ]);
}
