// Written by gatebench for k6: what is sent, how, and how the figures are printed.
import { sleep } from "k6";
import exec from "k6/execution";
import http from "k6/http";

const load = {"model":"users","users":50,"duration":"30s","startWithin":"10s","think":{"min":"500ms","max":"2s"}};
const requests = [
  {"method":"GET","url":"http://gateway.example:8080/1k.txt","body":null,"params":{"headers":{"Host":"gateway.example","User-Agent":"hey/0.0.1","Content-Type":"text/plain"},"timeout":"20s"}},
];
const counted = {"status":[0,200,201,202,204,206,301,302,303,304,307,308,400,401,403,404,405,406,408,409,410,411,413,414,415,422,426,429,431,499,500,501,502,503,504,505,520],"error_code":["1010","1050","1100","1101","1201","1210","1211","1212","1220","1300","1301","1310","1311"],"error":["EOF","unexpected EOF","http: server closed idle connection","dial: unknown errno 24 error with msg `too many open files`","dial: unknown errno 99 error with msg `cannot assign requested address`"]};

// An answer is an answer, whatever its status: latencies are of all of them.
http.setResponseCallback(http.expectedStatuses({ min: 100, max: 999 }));

// k6 states counts by tag only where a threshold names them. These are always met.
const thresholds = {};
const count = (metric, tags) => (thresholds[`${metric}{${["scenario:load", ...tags].join(",")}}`] = ["count>=0"]);
for (const metric of ["http_reqs", "iterations", "dropped_iterations", "data_received"]) count(metric, []);
for (const [tag, values] of Object.entries(counted)) for (const value of values) count("http_reqs", [`${tag}:${value}`]);
thresholds["http_req_duration{scenario:load,expected_response:true}"] = ["max>=0"];

export const options = {
  // Failures are counted by kind; k6 would write a line about each.
  throw: true,
  discardResponseBodies: true,
  scenarios: { load: {"executor":"constant-vus","vus":50,"duration":"30s","gracefulStop":"0s"} },
  noConnectionReuse: false,
  maxRedirects: 0,
  insecureSkipTLSVerify: true,
  // Of fewer tags k6 makes fewer series, and less work.
  systemTags: ["status", "error_code", "error", "expected_response", "scenario"],
  summaryTrendStats: ["min", "avg", "med", "p(75)", "p(90)", "p(95)", "p(99)", "p(99.9)", "max", "count"],
  thresholds,
};

// From one user's start to the next one's.
const spacingS = 0.2;

// Each length between the two is equally likely.
const thinkS = [0.5,2];

export default function () {
  if (exec.vu.iterationInScenario === 0) sleep((exec.vu.idInTest - 1) * spacingS);
  const { method, url, body, params } = requests[0];
  try {
    http.request(method, url, body, params);
  } catch (error) {
    // Counted by k6.
  }
  sleep(thinkS[0] + Math.random() * (thinkS[1] - thinkS[0]));
}

// One line of figures and one with their Adler-32, so that a digit lost on the way is noticed.
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
    if (name.includes("{scenario:load")) ours[name.replace(/scenario:load,?/, "").replace("{}", "")] = values;
  }
  // A run shorter than a second may have none.
  if (metrics.vus_max) ours.vus_max = metrics.vus_max.values;
  const asideMs = 0;
  const said = { load, isUsers: false, runMs: state.testRunDurationMs, asideMs, metrics: ours };
  // Beyond ASCII the seal of characters is not that of bytes.
  const text = JSON.stringify(said).replace(/[^ -~]/g, (it) => "\\u" + it.charCodeAt(0).toString(16).padStart(4, "0"));
  return { stdout: `@gatebench ${text}\n@gatebench-seal ${seal(text)}\n` };
}
