import type { Reference } from "@gatebench/core/contract";
import { expectsBody, type Headers } from "../request-headers";

/** One request as wrk is to send it, with all of its headers. */
export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | undefined;
}

/** Stands before every line that is ours, because wrk's own text comes before and between. */
export const tag = "@gatebench ";
/** Stands before the line that seals all of ours: Adler-32 of what was said, as eight hex digits. */
export const sealTag = "@gatebench-seal ";
/** The first of our lines: a reader of cut-off output knows by it what is missing. */
export const announcement = "figures follow";
/** The same where a user's script may print lines of its own anywhere. */
export const announcementWithScript = "figures follow, and a script's own words";

/** wrk's Lua: what to send, where options of the command line cannot say it, and the figures in full. */
export function script(requests: readonly ScriptedRequest[], countStatuses: boolean, own?: Reference): string {
  const parts = [
    heading,
    sending(requests),
    own === undefined ? "" : loading(own),
    announcing(own === undefined ? announcement : announcementWithScript),
    countStatuses ? statusCounting : "",
    figures(countStatuses),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** After our request, so that theirs replaces it; before our functions, which call theirs. */
const loading = (
  own: Reference,
) => `-- The user's own script. What it defines is called, and what it prints is left alone.
local isLoaded, why = pcall(dofile, ${quoted(own)})
-- wrk itself would go on without, and send another load than the one asked for.
if not isLoaded then
  io.stderr:write("the script was not loaded: " .. tostring(why) .. "\\n")
  os.exit(1)
end
`;

/** Headers every request has: they go on the command line. */
export function sharedHeaders([first, ...others]: readonly ScriptedRequest[]): Headers {
  const entries = Object.entries(first?.headers ?? {});
  return Object.fromEntries(entries.filter(([name, value]) => others.every(({ headers }) => headers[name] === value)));
}

function sending(requests: readonly ScriptedRequest[]): string {
  return requests.length > 1 ? inTurn(requests) : constant(requests[0] as ScriptedRequest);
}

/** No `request` function: wrk then calls no Lua while the load flows. */
function constant(request: ScriptedRequest): string {
  const body = bodyOf(request);
  const method = request.method === "GET" ? "" : `wrk.method = ${quoted(request.method)}\n`;
  return `${method}${body === undefined ? "" : `wrk.body = ${quoted(body)}\n`}`;
}

function inTurn(requests: readonly ScriptedRequest[]): string {
  const shared = sharedHeaders(requests);
  return `-- Sent in turn by each thread: one after the other, and again from the first.
local requests = {
${requests.map((request) => `  ${row(request, shared)},`).join("\n")}
}
local texts = {}

function init()
  for _, it in ipairs(requests) do
    for name, value in pairs(wrk.headers) do it.headers[name] = it.headers[name] or value end
    texts[#texts + 1] = wrk.format(it.method, it.path, it.headers, it.body)
  end
end

local turn = 0
function request()
  turn = turn % #texts + 1
  return texts[turn]
end
`;
}

function row(request: ScriptedRequest, shared: Headers): string {
  const own = Object.entries(request.headers).filter(([name]) => shared[name] === undefined);
  const headers = own.map(([name, value]) => `[${quoted(name)}] = ${quoted(value)}`).join(", ");
  const body = bodyOf(request);
  const last = body === undefined ? "" : `, body = ${quoted(body)}`;
  return `{ method = ${quoted(request.method)}, path = ${quoted(request.path)}, headers = { ${headers} }${last} }`;
}

function bodyOf({ method, body }: ScriptedRequest): string | undefined {
  return body ?? (expectsBody(method) ? "" : undefined);
}

/** A Lua string, byte for byte; references in it stay whole. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\0/g, "\\000");
  return `"${escaped}"`;
}

const heading = `-- Written by gatebench. wrk loads this into each thread, and once more where the figures are printed.
`;

const announcing = (
  words: string,
) => `-- Printed before wrk's own text, so that a reader of cut-off output knows what is missing.
local threads, theirSetup = {}, setup
function setup(thread)
  if #threads == 0 then print("${tag}${words}") end
  threads[#threads + 1] = thread
  if theirSetup then theirSetup(thread) end
end
`;

const statusCounting = `gatebenchStatuses = {}
local theirResponse = response
function response(status, headers, body)
  gatebenchStatuses[status] = (gatebenchStatuses[status] or 0) + 1
  if theirResponse then theirResponse(status, headers, body) end
end
`;

const statusLine = `  local sums, parts = {}, {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("gatebenchStatuses")) do sums[status] = (sums[status] or 0) + count end
  end
  for status, count in pairs(sums) do parts[#parts + 1] = string.format('"%d":%d', status, count) end
  say('"statuses":{' .. table.concat(parts, ",") .. '},')
`;

const noStatusLine = `  say('"statuses":null,')
`;

const figures = (countStatuses: boolean) => `local said = {}
local function say(text)
  said[#said + 1] = text
  print("${tag}" .. text)
end

-- Adler-32 of all that was said, without line ends.
local function seal()
  local low, high = 1, 0
  for _, text in ipairs(said) do
    for index = 1, #text do
      low = (low + text:byte(index)) % 65521
      high = (high + low) % 65521
    end
  end
  print(string.format("${sealTag}%04x%04x", high, low))
end

-- Microseconds up to 2047 stand for themselves; above, a bucket is at most 1/1024 wide and named by its upper edge.
local function edge(us)
  local width = 1
  while us / width >= 2048 do width = width * 2 end
  return (math.floor(us / width) + 1) * width - 1
end

-- wrk finds each latency by counting from the first: hundreds of thousands of different ones would take minutes,
-- so after five seconds there is no histogram.
local function histogram(latency)
  local buckets, samples, began = {}, 0, os.clock()
  for index = 1, #latency do
    if os.clock() - began > 5 then return nil end
    local us, count = latency(index)
    local upper, last = edge(us), buckets[#buckets]
    if last and last[1] == upper then last[2] = last[2] + count else buckets[#buckets + 1] = { upper, count } end
    samples = samples + count
  end
  return buckets, samples
end

local function sayHistogram(buckets)
  for first = 1, #buckets, 40 do
    local line = {}
    for index = first, math.min(first + 39, #buckets) do
      line[#line + 1] = string.format("[%d,%d]", buckets[index][1], buckets[index][2])
    end
    say(table.concat(line, ",") .. (first + 40 <= #buckets and "," or ""))
  end
end

local theirDone = done
function done(summary, latency, requests)
  local errors, buckets, samples = summary.errors, histogram(latency)
  say(string.format('{"threads":%d,"durationUs":%d,"requests":%d,"bytes":%d,',
    #threads, summary.duration, summary.requests, summary.bytes))
  say(string.format('"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d},',
    errors.connect, errors.read, errors.write, errors.status, errors.timeout))
${countStatuses ? statusLine : noStatusLine}  -- Without samples wrk's smallest latency is the largest number there is.
  say('"latencyUs":{"min":' .. (#latency > 0 and string.format("%d", latency.min) or "null"))
  say(string.format(',"mean":%.3f,"stdev":%.3f,"max":%d', latency.mean, latency.stdev, latency.max))
  for _, p in ipairs({ { "p50", 50 }, { "p75", 75 }, { "p90", 90 }, { "p95", 95 }, { "p99", 99 }, { "p999", 99.9 } }) do
    say(string.format(',"%s":%d', p[1], latency:percentile(p[2])))
  end
  say('},"samples":' .. (samples and string.format("%d", samples) or "null") .. ',"histogram":')
  if buckets then say("[") sayHistogram(buckets) say("]}") else say("null}") end
  seal()
  if theirDone then theirDone(summary, latency, requests) end
end
`;
