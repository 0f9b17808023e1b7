import { bindAddress, fault, type Fault, type UpstreamBehaviour, type Workload } from "../contract";
import { image } from "./go-bench-suite-image";
import type { Answer, UpstreamApp, UpstreamSite } from "./upstream-app";

export interface GoBenchSuiteOptions {
  /** Tag of the image mangomm/go-bench-suite. */
  readonly version?: string;
}

/**
 * go-bench-suite, the upstream of published tests of Tyk and Kong: some 66 bytes of JSON with the time of day.
 *
 * Asked for a number of bytes it draws as many random letters, which costs it CPU for each; asked to wait it answers
 * with none. It counts nothing and does not say which of several it is, so that caching, kept connections and
 * balancing are not tested with it.
 */
export function goBenchSuite({ version = image.version }: GoBenchSuiteOptions = {}): UpstreamApp {
  return {
    name: "go-bench-suite",
    version,
    ports: ["http"],
    echo: { path: "/echo", answer: echoAnswer },
    unsupported: (behaviour, tls) => [...unsupportedDelay(behaviour), ...(tls ? [withoutTls] : [])],
    answer: (behaviour) => ({ ...answer(behaviour), methods: ["GET"] }),
    workload: (site) => workload(version, site),
    address: (host, { http }) => ({ host, port: http as number }),
  };
}

function answer({ responseBytes, delay }: UpstreamBehaviour): Answer {
  if (delay !== undefined) return { path: `/delay/${delay}`, body: { text: "" } };
  if (responseBytes === undefined) return { path: "/json/valid", body: { text: '{"time": ""}', without: time } };
  return { path: `/size/${responseBytes}B`, body: { text: "", without: "[A-Za-z]+", bytes: responseBytes } };
}

/** As Go prints it: 2021-02-03 23:08:07.1234567 +0000 UTC m=+1.034883710. Zeros at the end of a second's parts are left out. */
const time = "[0-9]+-[0-9]+-[0-9]+ [0-9:.]+ [+-][0-9]+ [^ ]+ m=[+][0-9.]+";

/** JSON that repeats the whole request; of it, the body. */
const echoAnswer = (sent: string) => ({
  text: `${JSON.stringify(sent).slice(1, -1)}\n`,
  without: '^.*"Body":"|","Host":.*$',
});

function unsupportedDelay({ delay, responseBytes = 0 }: UpstreamBehaviour): readonly Fault[] {
  if (delay === undefined || responseBytes === 0) return [];
  return [
    fault(
      "unsupported-policy",
      `the upstream go-bench-suite cannot wait ${delay} and then answer with ${responseBytes} bytes. It can: answer at once with any number of bytes, or wait and answer with none. Drop the delay, or set responseBytes to 0.`,
    ),
  ];
}

/**
 * Its flags --tlsCert and --tlsKey take neither a version nor a cipher, and sessions are resumed: not what gateways are
 * asked for, so a baseline over it would be a comparison of two things.
 */
const withoutTls = fault(
  "unsupported-policy",
  "the upstream go-bench-suite cannot serve a TLS profile: it offers Go's own versions and ciphers, and resumes sessions. It can: answer over http behind gateways that serve https. Drop tls and the baseline, or choose an upstream with TLS, such as static-payload.",
);

function workload(version: string, { index, ports, workers }: UpstreamSite): Workload {
  return {
    name: `upstream-${index}`,
    role: "upstream",
    image: image.of(version),
    command: ["sh", "-c", started, "sh", "upstream", "--addr", `${bindAddress}:${ports.http}`],
    programs: ["go-bench-suite"],
    env: { GOMAXPROCS: `${workers}` },
    ports,
    openFiles: 65_536,
    readiness: { port: ports.http as number, path: "/json/valid" },
  };
}

/** The image has it in a folder of its own that is not on PATH; a machine without containers has it on PATH. */
const started = 'PATH="$PATH:/opt/bench" exec go-bench-suite "$@"';
