import { readFileSync } from "node:fs";
import { join } from "node:path";
import { consumers, resolveScenario, type LiveTarget, type ResolvedScenario } from "../../contract";
import { resumptionRefused, verificationOf } from "./verify";

/** What an nginx that does all it is asked answered to the probes. */
const recorded = (name: string) => readFileSync(join(__dirname, "fixtures", `${name}.txt`), "utf8");

const scenarioOf = (version: "1.2" | "1.3") =>
  resolveScenario({ name: "a", scheme: "https", tls: { version }, auth: "key", upstream: { count: 2 } });
const [consumer] = consumers(1);
const counts = { requests: "^requests (\\d+)$", connections: "^connections (\\d+)$" };
const target: LiveTarget = {
  scheme: "https",
  host: "127.0.0.1",
  port: 1,
  requests: [{ method: "GET", path: "/", headers: { apikey: consumer?.key ?? "" }, expect: 200 }],
  upstreams: ["upstream-1", "upstream-2"],
  payload: { sha256: "d868c493ca8ed4e38aea157fe74fe4a2bcf55227b1a9d7fb4adacf4ba7f05301", bytes: 1000 },
  echo: { path: "/echo" },
  upstreamCounters: [2, 3].map((port) => ({ host: "127.0.0.1", pages: [{ port, path: "/", values: counts }] })),
};
const verified = (stdout: string, scenario: ResolvedScenario, exitCode: number | null = 0) =>
  verificationOf("nginx", scenario, target, { stdout, stderr: "", files: {}, exitCode });

const recordings = [
  ["tls-12", scenarioOf("1.2")],
  ["tls-13", scenarioOf("1.3")],
] as const;

test.each(recordings)("a gateway that does as asked holds every law: %s", (name, scenario) => {
  const { target, laws } = verified(recorded(name), scenario);
  expect(target).toBe("nginx");
  expect(laws.length).toBeGreaterThan(12);
  expect(laws.filter(({ finding }) => finding.verdict !== "held")).toEqual([]);
});

test.each(recordings)("output cut short anywhere is never taken for an answer: %s", (name, scenario) => {
  const stdout = recorded(name);
  for (let length = 0; length < stdout.length; length += 7)
    expect(() => verified(stdout.slice(0, length), scenario)).toThrow(/^unparsed-output: /);
});

/** Lines without which less is known, and nothing else: of a certificate, a curve, a ticket, a refusal, a header, a page. */
const dispensable =
  /^told (CONNECTED|Server Temp Key|\s*Public|[0-9A-F]+:error|New, \(NONE\)|\s*TLS session ticket|Post-Handshake|x-upstream|requests|connections)/;

test.each(recordings)("a lost line is never taken for an answer: %s", (name, scenario) => {
  const lines = recorded(name).split("\n");
  for (const [index, line] of lines.entries())
    if (!dispensable.test(line))
      expect(() => verified(lines.toSpliced(index, 1).join("\n"), scenario)).toThrow(/^unparsed-output: /);
});

test.each(recordings)("a strange or repeated line is never taken for an answer: %s", (name, scenario) => {
  const lines = recorded(name).split("\n");
  for (const index of lines.keys())
    expect(() => verified(lines.toSpliced(index, 0, "curl: strange").join("\n"), scenario)).toThrow(
      /^unparsed-output: /,
    );
});

test("probes in another order are not taken for one another", () => {
  const swapped = recorded("tls-12").replace(/probe (echo|wrong-credential)$/gm, (_, name: string) =>
    name === "echo" ? "probe wrong-credential" : "probe echo",
  );
  expect(() => verified(swapped, scenarioOf("1.2"))).toThrow("probe echo is missing or out of order");
});

test.each([
  [1, "the probes ended with 1"],
  [null, "the probes ended with a signal"],
])("a script that failed found nothing: %s", (exitCode, words) => {
  expect(() => verified(recorded("tls-12"), scenarioOf("1.2"), exitCode)).toThrow(words);
});

test.each([
  ["curl 0", "curl 127", "curl is missing where the load comes from"],
  ["openssl 0", "openssl 127", "openssl is missing where the load comes from"],
])("a missing tool is said to be missing: %s", (line, missing, words) => {
  expect(() => verified(recorded("tls-12").replace(line, missing), scenarioOf("1.2"))).toThrow(words);
});

test("a body of nothing has no file to hash", () => {
  const stdout = recorded("tls-12").replace(/answer 200 1000 1 (.*)\n[0-9a-f]{64} {2}body-001/, "answer 200 0 1 $1");
  const { laws } = verified(stdout, scenarioOf("1.2"));
  expect(laws[1]?.finding).toEqual({
    verdict: "broken",
    reason: "1 of 1 answer had another body: 0 bytes where the upstream sent 1000",
  });
});

test("interim answers are not counted", () => {
  const interim = recorded("tls-12").replaceAll(
    "told http/1.1 200 ok",
    "told http/1.1 103 early hints\ntold http/1.1 200 ok",
  );
  expect(verified(interim, scenarioOf("1.2"))).toEqual(verified(recorded("tls-12"), scenarioOf("1.2")));
});

test("transactions may be counted where every way to resume a session was shown refused", () => {
  const verification = verified(recorded("tls-12"), scenarioOf("1.2"));
  expect(resumptionRefused(verification)).toBe(true);
  expect(resumptionRefused({ target: "nginx", laws: [] })).toBe(false);
  const doubtful = verification.laws.map(({ law }) => ({ law, finding: { verdict: "untested", reason: "" } as const }));
  expect(resumptionRefused({ target: "nginx", laws: doubtful })).toBe(false);
});
