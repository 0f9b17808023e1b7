import type { Load, TlsProfile } from "@gatebench/core/contract";
import type { Counted } from "./counted";
import type { K6Request } from "./requests";
import { executor, scenario, waits } from "./traffic";

/** Everything the script holds. */
export interface Scripted {
  readonly load: Load;
  readonly requests: readonly K6Request[];
  readonly counted: Counted;
  readonly timeoutS: number;
  readonly tls: TlsProfile | undefined;
  /** Whether a script of the user's, `user.js`, sends the requests. */
  readonly isUsers: boolean;
}

/** k6's script: what is sent, how, and how the figures are printed. */
export function script(scripted: Scripted): string {
  const { load, requests, counted, isUsers } = scripted;
  const parts = [
    `const load = ${JSON.stringify(load)};`,
    ...(isUsers
      ? []
      : [`const requests = [\n${requests.map((request) => `  ${JSON.stringify(request)},\n`).join("")}];`]),
    `const counted = ${JSON.stringify(counted)};\n`,
    options(scripted),
    ...waits(load).declared,
    ...(!isUsers && requests.length > 1 && load.spread === "normal" ? [normal] : []),
    isUsers ? usersTraffic(load) : traffic(load, requests.length),
    figures(isUsers),
  ];
  const text = parts.join("\n");
  return `${heading(text, isUsers)}\n${text}`;
}

function heading(text: string, isUsers: boolean): string {
  const imports = [
    text.includes("sleep(") && `import { sleep } from "k6";`,
    text.includes("exec.") && `import exec from "k6/execution";`,
    `import http from "k6/http";`,
    isUsers && `import { Counter } from "k6/metrics";`,
    isUsers && `import * as user from "./user.js";`,
  ].filter((line) => line !== false);
  return ["// Written by gatebench for k6: what is sent, how, and how the figures are printed.", ...imports, ""].join(
    "\n",
  );
}

function options({ load, timeoutS, tls, isUsers }: Scripted): string {
  const { outer, kept, tags } = isUsers ? usersOptions : ownOptions;
  return `// An answer is an answer, whatever its status: latencies are of all of them.
http.setResponseCallback(http.expectedStatuses({ min: 100, max: 999 }));

// k6 states counts by tag only where a threshold names them. These are always met.
const thresholds = {};
const count = (metric, tags) => (thresholds[\`\${metric}{\${["scenario:${scenario}", ...tags].join(",")}}\`] = ["count>=0"]);
for (const metric of ["http_reqs", "iterations", "dropped_iterations", "data_received"]) count(metric, []);
for (const [tag, values] of Object.entries(counted)) for (const value of values) count("http_reqs", [\`\${tag}:\${value}\`]);
thresholds["http_req_duration{scenario:${scenario},expected_response:true}"] = ["max>=0"];

${outer}export const options = {
${kept}  scenarios: { ${scenario}: ${JSON.stringify(executor(load, timeoutS))} },
  noConnectionReuse: ${load.connection === "per-request"},
  maxRedirects: 0,
  insecureSkipTLSVerify: true,
${tlsOptions(tls)}${tags}  summaryTrendStats: ["min", "avg", "med", "p(75)", "p(90)", "p(95)", "p(99)", "p(99.9)", "max", "count"],
${isUsers ? "  thresholds: { ...kept.thresholds, ...thresholds },\n" : "  thresholds,\n"}};
`;
}

const neededTags = `"status", "error_code", "error", "expected_response", "scenario"`;

const ownOptions = {
  outer: "",
  tags: `  // Of fewer tags k6 makes fewer series, and less work.
  systemTags: [${neededTags}],
`,
  kept: `  // Failures are counted by kind; k6 would write a line about each.
  throw: true,
  discardResponseBodies: true,
`,
};

const usersOptions = {
  outer: `// How much is sent is the load's to say; everything else of the script's options is kept.
const { scenarios, vus, duration, stages, iterations, ...kept } = user.options || {};
`,
  kept: "  ...kept,\n",
  tags: `  // Of its own accord k6 has these.
  ...(kept.systemTags && { systemTags: [...new Set([...kept.systemTags, ${neededTags}])] }),
`,
};

function tlsOptions(tls: TlsProfile | undefined): string {
  if (tls === undefined) return "";
  const version = `"tls${tls.version}"`;
  const suites = tls.version === "1.2" ? `  tlsCipherSuites: ["${cipherSuites[tls.cipher]}"],\n` : "";
  return `  tlsVersion: { min: ${version}, max: ${version} },\n${suites}`;
}

/** k6's names (`lib/tlsconfig.go`) of TLS 1.2's ciphers, by OpenSSL's. */
export const cipherSuites: Readonly<Record<string, string>> = {
  "ECDHE-RSA-AES256-GCM-SHA384": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  "ECDHE-RSA-AES128-GCM-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "ECDHE-RSA-CHACHA20-POLY1305": "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
  "ECDHE-RSA-AES128-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
  "ECDHE-RSA-AES256-SHA": "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
  "ECDHE-RSA-AES128-SHA": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
};

const normal = `// Around the middle: a Gaussian of mean n / 2 and deviation n / 6, drawn again where it falls outside.
function aroundMiddle(n) {
  for (;;) {
    const gauss = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    const index = Math.floor(n / 2 + (gauss * n) / 6);
    if (index >= 0 && index < n) return index;
  }
}
`;

function traffic(load: Load, count: number): string {
  const { before, after } = waits(load);
  return `${defaultFunction("", [
    ...before,
    `const { method, url, body, params } = requests[${choice(load, count)}];`,
    "try {",
    "  http.request(method, url, body, params);",
    "} catch (error) {",
    "  // Counted by k6.",
    "}",
    ...after,
  ])}`;
}

function choice({ spread }: Load, count: number): string {
  if (count === 1) return "0";
  // In turn over all users: every request equally often.
  return spread === "normal" ? "aroundMiddle(requests.length)" : "exec.scenario.iterationInTest % requests.length";
}

/** Their default function under our load. Their setup and teardown are no part of the time measured. */
function usersTraffic(load: Load): string {
  const { before, after } = waits(load);
  return `const aside = new Counter("gatebench_aside");
function timedAside(part, data) {
  if (part === undefined) return undefined;
  const beganMs = Date.now();
  const result = part(data);
  aside.add(Date.now() - beganMs);
  return result;
}
export const setup = () => timedAside(user.setup);
export const teardown = (data) => timedAside(user.teardown, data);

${defaultFunction("data", [...before, "user.default(data);", ...after])}`;
}

const defaultFunction = (data: string, lines: readonly string[]) =>
  `export default function (${data}) {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;

const figures = (
  isUsers: boolean,
) => `// One line of figures and one with their Adler-32, so that a digit lost on the way is noticed.
function seal(text) {
  let [low, high] = [1, 0];
  for (let at = 0; at < text.length; at += 1) {
    low = (low + text.charCodeAt(at)) % 65521;
    high = (high + low) % 65521;
  }
  return (high * 65536 + low).toString(16).padStart(8, "0");
}

export function handleSummary({ metrics, state }) {
  const ours = {};
  for (const [name, { values }] of Object.entries(metrics)) {
    if (name.includes("{scenario:${scenario}")) ours[name.replace(/scenario:${scenario},?/, "").replace("{}", "")] = values;
  }
  // A run shorter than a second may have none.
  if (metrics.vus_max) ours.vus_max = metrics.vus_max.values;
  ${isUsers ? `const asideMs = metrics.gatebench_aside ? metrics.gatebench_aside.values.count : 0;` : "const asideMs = 0;"}
  const said = { load, isUsers: ${isUsers}, runMs: state.testRunDurationMs, asideMs, metrics: ours };
  // Beyond ASCII the seal of characters is not that of bytes.
  const text = JSON.stringify(said).replace(/[^ -~]/g, (it) => "\\\\u" + it.charCodeAt(0).toString(16).padStart(4, "0"));
  return { stdout: \`@gatebench \${text}\\n@gatebench-seal \${seal(text)}\\n\` };
}
`;
