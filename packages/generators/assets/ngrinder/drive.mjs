// gatebench's client of an nGrinder controller: starts one test by its REST API, follows it, and prints its figures.
//   node drive.mjs test.json TestRunner.groovy      (NGRINDER_USER and NGRINDER_PASSWORD in the environment)
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { inflateRawSync } from "node:zlib";

/** @typedef {Record<string, any>} Json */
/** @typedef {Record<string, number>} Counts */

const config = JSON.parse(await readFile(process.argv[2] ?? "test.json", "utf8"));
const script = await readFile(process.argv[3] ?? "TestRunner.groovy", "utf8");
const { NGRINDER_USER: user = "admin", NGRINDER_PASSWORD: password = "admin" } = process.env;

/** How long a controller may be away, as when it is started again. */
const awayS = config.awayS ?? 60;
const pollMs = config.pollMs ?? 1000;
/** nGrinder's state machine before and after the load: distribution, JVMs, closing. */
const aroundS = config.aroundS ?? 120;
const ended = ["FINISHED", "WARNED", "ERROR", "STOP"];

/** Something the job ends with; one line. */
class Failure extends Error {}

let testId;
let givenUp;
let creating = Promise.resolve();

for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void giveUp(`ended by ${signal}`));

async function run() {
  await enoughAgents();
  await upload();
  creating = create();
  await creating;
  const test = await follow();
  requireFigures(test);
  return figuresOf(test);
}

/** Ends with words, the first there are, and leaves no test running. */
function giveUp(why) {
  return (givenUp ??= end(why));
}

async function end(why) {
  await creating.catch(() => {});
  const left =
    testId === undefined ? "" : await stop().catch((error) => ` Test ${testId} could not be stopped: ${error.message}`);
  say(`${why}${left}`);
  process.exit(1);
}

function say(text) {
  process.stderr.write(`ngrinder: ${text.replace(/\s+/g, " ").trim()}\n`);
}

// --- the controller ---

async function enoughAgents() {
  const wanted = config.test.agentCount;
  const until = Date.now() + config.waitForAgentsS * 1000;
  for (;;) {
    const { availableAgentCount: found } = await get("/agent/api/availableAgentCount?targetRegion=NONE");
    if (found >= wanted) return;
    if (Date.now() > until) {
      throw new Failure(
        `${found} of ${wanted} agents are ready after ${config.waitForAgentsS} s; look at their logs, approve them, or ask for fewer.`,
      );
    }
    say(`${found} of ${wanted} agents are ready`);
    await sleep(pollMs);
  }
}

function upload() {
  const { scriptName: path } = config.test;
  const fileEntry = { path, content: script, description: "gatebench" };
  return post(`/script/api/save/${path}`, {
    fileEntry,
    targetHosts: "",
    validated: "0",
    createLibAndResource: false,
  });
}

async function create() {
  const { id } = await post("/perftest/api", config.test);
  if (!Number.isInteger(id)) throw new Failure("the controller made no test, and did not say why.");
  testId = id;
}

/** Until the test is over, whatever became of it. */
async function follow() {
  const until = Date.now() + (loadS() + aroundS) * 1000;
  let last = "";
  for (;;) {
    const { status, message } = await get(`/perftest/api/${testId}/status`);
    const state = stateOf(status);
    if (state.name !== last) say(`test ${testId} is ${(last = state.name)}`);
    if (ended.includes(state.category)) return await get(`/perftest/api/${testId}`);
    if (state.name === "SAVED") throw new Failure(`test ${testId} was taken off the queue by somebody else.`);
    if (Date.now() > until) {
      throw new Failure(`test ${testId} is still ${state.name} after ${loadS() + aroundS} s: ${plain(message)}`);
    }
    await progress(state);
    await sleep(pollMs);
  }
}

const loadS = () => (config.test.threshold === "D" ? config.test.duration / 1000 : (config.longestS ?? 3600));

/** An object in 3.5; a bare name in older controllers. */
function stateOf(status) {
  const name = typeof status === "string" ? status : status?.name;
  const category = typeof status === "string" ? categoryOf(status) : status?.category;
  if (typeof name !== "string" || typeof category !== "string") {
    throw new Failure(`the controller names a state that is none: ${JSON.stringify(status).slice(0, 100)}`);
  }
  return { name, category };
}

function categoryOf(name) {
  if (name === "FINISHED_WITH_WARNING") return "WARNED";
  if (name.startsWith("STOP_")) return "ERROR";
  if (name === "CANCELED" || name === "UNKNOWN") return "STOP";
  return name === "FINISHED" ? name : "PROGRESSING";
}

let saidAt = 0;
async function progress({ category }) {
  if (category !== "TESTING" || Date.now() - saidAt < 10_000) return;
  saidAt = Date.now();
  const { perf } = await get(`/perftest/api/${testId}/sample`);
  if (perf?.totalStatistics) say(`${perf.testTime ?? "?"} s, ${Math.round(perf.tpsChartData ?? 0)} tests/s`);
}

/** A queued test cannot be stopped, only taken off the queue; a running one the other way round. */
async function stop() {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { status } = await get(`/perftest/api/${testId}/status`);
    const { name, category } = stateOf(status);
    if (name === "SAVED" || ended.includes(category)) return "";
    if (category === "PREPARE") await put(`/perftest/api/${testId}?action=status`, "SAVED");
    else await put(`/perftest/api/${testId}?action=stop`);
    await sleep(pollMs / 2);
  }
  return ` Test ${testId} did not stop.`;
}

/** Throws where a test ended otherwise than asked: what it says of itself then is not what was asked for. */
function requireFigures(test) {
  const { name, category } = stateOf(test.status);
  const words = plain(`${test.progressMessage ?? ""} ${test.lastProgressMessage ?? ""}`).slice(-400);
  if (category === "ERROR" || category === "STOP") throw new Failure(`test ${test.id} ended as ${name}: ${words}`);
  if (test.tests + test.errors === 0 && !config.recorder) throw new Failure(`test ${test.id} sent nothing: ${words}`);
  const lastedMs = test.finishTime - test.startTime;
  if (config.test.threshold === "D" && !(lastedMs >= 0.98 * config.test.duration)) {
    throw new Failure(`test ${test.id} ended after ${lastedMs} ms of ${config.test.duration}: ${words}`);
  }
}

const plain = (html) =>
  `${html ?? ""}`
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

// --- figures ---

async function figuresOf(test) {
  const { agentCount, processes } = config.test;
  return {
    state: stateOf(test.status).name,
    expect: config.expect,
    lastedMs: test.finishTime - test.startTime,
    tests: test.tests,
    errors: test.errors,
    tps: test.tps,
    peakTps: test.peakTps,
    meanTestTimeMs: test.meanTestTime,
    processes: agentCount * processes,
    samples: config.recorder ? null : await samples(test),
    recorded: config.recorder ? merged(await recordings()) : null,
  };
}

/** Per sampling interval; a longer one is followed by nulls. */
async function samples({ samplingInterval }) {
  const types = ["Tests", "Errors"];
  const data = await get(`/perftest/api/${testId}/perf?dataType=${types.join(",")}&onlyTotal=true&imgWidth=100000`);
  const [tests = [], errors = []] = types.map((type) => data[type]?.[type]);
  return { intervalS: samplingInterval, tests, errors };
}

/** The figures of every process, from the logs that agents send when the test is over. */
async function recordings() {
  const wanted = config.test.agentCount * config.test.processes;
  const until = Date.now() + config.logsWithinS * 1000;
  for (;;) {
    const names = await get(`/perftest/api/${testId}/logs`);
    const logs = [];
    for (const name of names.filter((each) => each.endsWith(".zip"))) logs.push(...unzipped(await download(name)));
    const found = logs.map(recordingIn).filter((each) => each !== undefined);
    if (found.length >= wanted || (found.length > 0 && Date.now() > until)) return found;
    if (Date.now() > until) {
      throw new Failure(`the logs of test ${testId} hold no figures. Its first words: ${logs.join(" ").slice(0, 300)}`);
    }
    await sleep(pollMs);
  }
}

/** @param {string} log */
function recordingIn(log) {
  const pieces = [...log.matchAll(/@gatebench-piece (\d+\.\d+) (\d+)\/(\d+) ([0-9a-f]{8}) (.*)$/gm)];
  if (pieces.length === 0) return undefined;
  const [, of, , count] = pieces[0];
  const isWhole =
    pieces.length === Number(count) &&
    pieces.every(([, from, at, all, seal, text], index) => {
      return from === of && all === count && Number(at) === index + 1 && sealOf(text) === seal;
    });
  if (!isWhole) throw new Failure(`the figures of process ${of} are cut off or changed in its log.`);
  return JSON.parse(pieces.map((piece) => piece[5]).join(""));
}

/** @param {Json[]} all */
function merged(all) {
  const ids = new Set(all.map(({ agent, process: number }) => `${agent}.${number}`));
  if (ids.size !== all.length) throw new Failure("two logs hold the figures of the same process.");
  for (const [kind, words] of all.flatMap(({ said }) => Object.entries(said)).slice(0, 8)) say(`${kind}: ${words}`);
  const beganMs = Math.min(...all.map((each) => each.beganMs));
  const endedUs = Math.max(...all.map((each) => (each.beganMs - beganMs) * 1000 + each.sentUs));
  const sum = (name) => all.reduce((total, each) => total + each[name], 0);
  const answered = all.filter(({ maxUs }) => maxUs >= 0);
  return {
    reported: all.length,
    durationUs: endedUs,
    shortestUs: Math.min(...all.map(({ sentUs }) => sentUs)),
    statuses: added(all.map(({ statuses }) => statuses)),
    errors: added(all.map(({ errors }) => errors)),
    minUs: answered.length === 0 ? null : Math.min(...answered.map(({ minUs }) => minUs)),
    maxUs: answered.length === 0 ? null : Math.max(...answered.map(({ maxUs }) => maxUs)),
    sumUs: sum("sumUs"),
    squaresUs: sum("squaresUs"),
    histogram: pairsAdded(all.map(({ buckets }) => buckets)),
    seconds: bySecond(all, beganMs, endedUs / 1e6),
  };
}

/** @param {Counts[]} all */
function added(all) {
  const sums = {};
  for (const [key, count] of all.flatMap((each) => Object.entries(each))) sums[key] = (sums[key] ?? 0) + count;
  return sums;
}

/** @param {[number, number][][]} all */
function pairsAdded(all) {
  const sums = new Map();
  for (const [key, count] of all.flat()) sums.set(key, (sums.get(key) ?? 0) + count);
  return [...sums].sort(([left], [right]) => left - right);
}

/** Answers and errors by second of the clock, from that of the first request; a long run in wider steps. */
function bySecond(all, beganMs, durationS) {
  const widthS = Math.max(1, Math.ceil(durationS / 1000));
  const first = Math.floor(beganMs / 1000);
  const stepped = (pairs) => pairs.map(([second, count]) => [Math.floor((second - first) / widthS) * widthS, count]);
  const answers = new Map(pairsAdded(all.map((each) => stepped(each.answersBySecond))));
  const errors = new Map(pairsAdded(all.map((each) => stepped(each.errorsBySecond))));
  const steps = [...new Set([...answers.keys(), ...errors.keys()])].sort((left, right) => left - right);
  return steps.map((atS) => [atS, answers.get(atS) ?? 0, errors.get(atS) ?? 0]);
}

function print(figures) {
  const text = JSON.stringify(figures);
  return new Promise((resolve) => {
    process.stdout.write(`@gatebench ${text}\n@gatebench-seal ${sealOf(text)}\n`, () => resolve(undefined));
  });
}

/** Adler-32 (RFC 1950). */
function sealOf(text) {
  let [low, high] = [1, 0];
  for (const byte of Buffer.from(text, "utf8")) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return (high * 65536 + low).toString(16).padStart(8, "0");
}

// --- zip: by the directory at its end, since Java's sizes stand behind the data ---

function unzipped(zip) {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) throw new Failure("a log of the controller is no whole zip file.");
  const texts = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    texts.push(entryAt(zip, at));
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return texts;
}

function entryAt(zip, at) {
  const [method, size, local] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const data = zip.subarray(from, from + size);
  return (method === 0 ? data : inflateRawSync(data)).toString("utf8");
}

// --- HTTP ---

const get = (path) => asked("GET", path);
const post = (path, body) => asked("POST", path, body);
const put = (path, body) => asked("PUT", path, body);

async function asked(method, path, body) {
  const { status, text } = await answered(method, path, body);
  const json = jsonOf(text);
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) {
    throw new Failure(`the controller does not let "${user}" in (${status}). Give its user and password.`);
  }
  if (status !== 200 || json?.success === false) {
    throw new Failure(
      `the controller refuses ${method} ${path} (${status}): ${plain(json?.message ?? text).slice(0, 300)}`,
    );
  }
  if (text !== "" && json === undefined)
    throw new Failure(`the controller answers ${method} ${path} with: ${plain(text).slice(0, 200)}`);
  return json ?? {};
}

async function download(name) {
  const { status, bytes } = await answered("GET", `/perftest/${testId}/download_log/${encodeURIComponent(name)}`);
  if (status !== 200) throw new Failure(`the controller refuses the log ${name} (${status}).`);
  return bytes;
}

/** Asked again while nobody listens: then nothing was done. What was sent and not answered is asked again only where that changes nothing. */
async function answered(method, path, body) {
  const until = Date.now() + awayS * 1000;
  for (;;) {
    try {
      const answer = await fetch(config.controller + path, request(method, body));
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (![502, 503, 504].includes(answer.status) || Date.now() > until) {
        return { status: answer.status, bytes, text: bytes.toString("utf8") };
      }
    } catch (error) {
      const why = error?.cause?.code ?? error?.message;
      const isHarmless = method === "GET" || method === "PUT" || why === "ECONNREFUSED";
      if (!isHarmless || Date.now() > until)
        throw new Failure(`the controller at ${config.controller} does not answer ${method} ${path}: ${why}`);
      say(`the controller does not answer (${why}); asking again`);
    }
    await sleep(pollMs);
  }
}

function request(method, body) {
  return {
    method,
    redirect: "manual",
    signal: AbortSignal.timeout(30_000),
    headers: {
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

try {
  await print(await run());
} catch (error) {
  await giveUp(error instanceof Failure ? error.message : `${error?.stack ?? error}`);
}
