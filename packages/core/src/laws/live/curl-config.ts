import { fileOf, type CountersProbe, type HttpProbe, type LiveTarget, type RequestSpec } from "../../contract";
import { countersS } from "./probe-script";

type Files = Readonly<Record<string, string>>;

/** One line for each answer: status, bytes of its body, whether a connection was opened for it, seconds. */
const writeOut = "answer %{http_code} %{size_download} %{num_connects} %{time_total}\\n";

/** Headers that curl adds by itself; every generator is told what to send, so only that is sent. */
const ownHeaders = ["User-Agent", "Accept", "Content-Type", "Expect"];

/** The configuration of a probe's curl, and the headers and bodies it refers to. */
export function httpFiles(probe: HttpProbe, target: LiveTarget): Files {
  const blocks = probe.requests.map((request, index) => requestBlock(probe, request, numbered(index), target));
  const sent = probe.requests.flatMap((request, index) => sentFiles(probe.name, request, numbered(index)));
  return { [`${probe.name}.curl`]: [options("fail-early"), ...blocks].join("\nnext\n"), ...Object.fromEntries(sent) };
}

function requestBlock(probe: HttpProbe, request: RequestSpec, number: string, target: LiveTarget): string {
  return options(
    ["url", `${originOf(probe, target)}${literal(request.path)}#[1-${probe.times}]`],
    ["request", request.method],
    ["header", `@${fileOf(`${probe.name}-${number}.headers`)}`],
    ...(request.body === undefined ? [] : [["data-binary", `@${fileOf(`${probe.name}-${number}.body`)}`] as const]),
    ["output", probe.bodies ? `body-${number}` : "/dev/null"],
    ...(probe.headers === undefined ? [] : [["dump-header", `headers-${number}`] as const]),
    ["write-out", writeOut],
    ["max-time", String(probe.withinS)],
    ...everywhere,
  );
}

const originOf = ({ plainPort }: HttpProbe, { scheme, host, port }: LiveTarget) =>
  plainPort === undefined ? `${scheme}://${host}:${port}` : `http://${host}:${plainPort}`;

/** The certificate is our own; the numbers are of HTTP/1.1, whatever else a gateway offers. */
const everywhere = ["silent", "insecure", "http1.1", ["noproxy", "*"]] as const;

/** The path as it is; curl would otherwise expand brackets. */
const literal = (path: string) => path.replace(/[[\]{}\\]/g, "\\$&");

function sentFiles(name: string, { headers, body }: RequestSpec, number: string): readonly [string, string][] {
  const lines = Object.entries(headers).map(([header, value]) => (value === "" ? `${header};` : `${header}: ${value}`));
  const given = Object.keys(headers).map((header) => header.toLowerCase());
  const removed = ownHeaders.filter((header) => !given.includes(header.toLowerCase())).map((header) => `${header}:`);
  const files: [string, string][] = [[`${name}-${number}.headers`, [...lines, ...removed, ""].join("\n")]];
  return body === undefined ? files : [...files, [`${name}-${number}.body`, body]];
}

/** The configuration of a curl that reads counters. Each page has a connection of its own, as it says it has. */
export function countersFiles({ name, sources }: CountersProbe): Files {
  const pages = sources.flatMap(({ host, pages }) => pages.map(({ port, path }) => `http://${host}:${port}${path}`));
  const blocks = pages.map((url, index) =>
    options(
      ["url", url],
      ["header", "Connection: close"],
      ["output", `page-${numbered(index)}`],
      ["max-time", String(countersS)],
      "fail",
      "globoff",
      ...everywhere,
    ),
  );
  return { [`${name}.curl`]: [options("fail-early"), ...blocks].join("\nnext\n") };
}

/** Counted from 1, in the order of their names. */
export const numbered = (index: number) => String(index + 1).padStart(3, "0");

type Option = string | readonly [name: string, value: string];

function options(...lines: readonly Option[]): string {
  return lines.map((line) => (typeof line === "string" ? line : `${line[0]} = ${quoted(line[1])}`)).join("\n");
}

/** As curl reads a quoted parameter. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
