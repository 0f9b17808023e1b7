import { resolveScenario, type LiveTarget } from "../../contract";
import { probeJob } from "./probe-job";
import { verificationJob } from "./verify";

const target: LiveTarget = {
  scheme: "https",
  host: "<gatebench:address.gateway>",
  port: 8443,
  requests: [
    { method: "GET", path: "/a[b]{c}", headers: { apikey: "<gatebench:consumer-1.key>", empty: "" }, expect: 200 },
  ],
  upstreams: ["upstream-1"],
  echo: { path: "/a/echo" },
  upstreamCounters: [{ host: "10.0.0.1", pages: [{ port: 9, path: "/s", values: { requests: "(\\d+)" } }] }],
};
const scenario = resolveScenario({ name: "a", scheme: "https", auth: "key" });
const { job, probes } = verificationJob(scenario, target);
const file = (name: string) => job.files?.[name] ?? "";

const http = (request: Partial<LiveTarget["requests"][number]>) =>
  probeJob(
    [
      {
        kind: "http",
        name: "one",
        requests: [{ method: "GET", path: "/", headers: {}, expect: 200, ...request }],
        times: 3,
        connections: 2,
        withinS: 7,
      },
    ],
    target,
  );

test("all probes are one job of a script and the files it reads", () => {
  expect(job.command).toEqual(["sh", "<gatebench:file.probe.sh>"]);
  const read = [...JSON.stringify(job).matchAll(/<gatebench:file\.([^>]+)>/g)].map(([, name]) => name);
  expect(Object.keys(job.files ?? {}).sort()).toEqual([...new Set(read)].sort());
});

test("credentials stand in files of headers only", () => {
  const holding = Object.entries(job.files ?? {}).filter(([, text]) => text.includes("consumer-1."));
  expect(holding.map(([name]) => name)).toEqual(["answer-001.headers", "echo-001.headers", "repeated-001.headers"]);
});

test("nothing is sent but what the request says", () => {
  expect(file("answer-001.headers")).toBe(
    "apikey: <gatebench:consumer-1.key>\nempty;\nUser-Agent:\nAccept:\nContent-Type:\nExpect:\n",
  );
  const given = http({ headers: { "user-agent": "hey", ACCEPT: "*/*" } }).files?.["one-001.headers"];
  expect(given).toBe("user-agent: hey\nACCEPT: */*\nContent-Type:\nExpect:\n");
});

test("a path is sent as it is, whatever curl would make of its brackets", () => {
  expect(file("answer.curl")).toContain(
    'url = "https://<gatebench:address.gateway>:8443/a\\\\[b\\\\]\\\\{c\\\\}#[1-1]"',
  );
});

test("a quote in a path does not end the parameter it stands in", () => {
  expect(http({ path: '/"x' }).files?.["one.curl"]).toContain('8443/\\"x#[1-3]"');
});

test("a body is sent from a file, byte for byte", () => {
  const { files } = http({ method: "POST", body: 'a"b\n' });
  expect(files?.["one-001.body"]).toBe('a"b\n');
  expect(files?.["one.curl"]).toContain('data-binary = "@<gatebench:file.one-001.body>"');
});

test("what may run together does, and what counts runs alone", () => {
  const lines = file("probe.sh").split("\n");
  const runs = lines.filter((line) => / >[a-z-]+\.report( &)?$|^wait$/.test(line));
  const names = runs.map((line) => (line === "wait" ? line : `${line.split(" ")[1]}${line.endsWith("&") ? " &" : ""}`));
  expect(names).toEqual([
    ...["answer &", "echo &", "wrong-credential &", "no-credential &", "handshake &", "other-version &"],
    ...["other-cipher &", "resume-id &", "resume-ticket &", "wait", "counters-before", "repeated", "counters-after"],
  ]);
});

test("each probe is carried out once, however many laws ask for it", () => {
  const names = probes.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test("the job is killed only when it hangs", () => {
  expect(http({}).killAfterS).toBe(17);
});

test("a limited gateway is given its time: before each request, and when all is over", () => {
  const rateLimit = { requests: 10, per: "1s", scope: "client", store: "local" } as const;
  const limited = verificationJob(resolveScenario({ name: "b", rateLimit }), { ...target, scheme: "http" });
  const pauses = limited.probes.flatMap((probe) => (probe.kind === "pause" ? [[probe.name, probe.seconds]] : []));
  expect(pauses).toEqual([
    ["answer-turn", 0.12],
    ["echo-turn", 0.12],
    ["repeated-turn", 1],
    ["flood-turn", 1],
    ["flood-over", 1],
  ]);
  expect(limited.probes.every(({ alone }) => alone)).toBe(true);
});
