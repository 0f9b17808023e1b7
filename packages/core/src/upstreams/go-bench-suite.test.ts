import { unknownReferences, type UpstreamBehaviour } from "../contract";
import { goBenchSuite } from "./go-bench-suite";
import { programOf } from "./program";

const ports = { http: 9001 };
const app = goBenchSuite();
const workload = app.workload({
  ...{ index: 2, ports, workers: 3 },
  behaviour: { count: 2, responseBytes: 1024, delay: undefined, keepAlive: true },
});

/** What is left of a text for the laws to compare; none of our expressions differs between POSIX and here. */
const left = (text: string, { without = "" } = {}) => text.replace(new RegExp(without, "gm"), "");
const refusals = (behaviour: UpstreamBehaviour, tls?: boolean) =>
  app.unsupported(behaviour, tls).map(({ code, message }) => `${code}: ${message}`);

test("not asked for a size, it answers with its own JSON, whatever the time", () => {
  const { path, body, methods } = app.answer({});
  expect([path, methods]).toEqual(["/json/valid", ["GET"]]);
  const recorded = [
    '{"time": "2026-11-21 17:28:08.81169021 +0000 UTC m=+1.034883710"}',
    '{"time": "2026-11-21 17:28:08 -0330 NST m=+12345.034883710"}',
    '{"time": "2026-11-21 17:28:08.123456789 +0530 +0530 m=+0.000000001"}',
  ];
  for (const text of recorded) expect(left(text, body)).toBe(body?.text);
  const changed = ['{"time": ""', '{"time":"2026-11-21 17:28:08.8 +0000 UTC m=+1.0"}', '{time": "2026-11-21"}'];
  for (const text of changed) expect(left(text, body)).not.toBe(body?.text);
});

test("asked for a size, it answers with so many letters", () => {
  const { path, body } = app.answer({ responseBytes: 1000 });
  expect([path, body?.bytes]).toEqual(["/size/1000B", 1000]);
  expect(left("aBcXyZ", body)).toBe(body?.text);
  expect(left("aBc1yZ", body)).not.toBe(body?.text);
});

test("asked to wait, it waits and answers with nothing", () => {
  expect(app.answer({ delay: "10ms" })).toMatchObject({ path: "/delay/10ms", body: { text: "" } });
  expect(refusals({ delay: "10ms" })).toEqual([]);
  expect(refusals({ delay: "10ms", responseBytes: 0 })).toEqual([]);
});

test("it cannot wait and answer with a body", () => {
  expect(refusals({ delay: "10ms", responseBytes: 5 })).toEqual([
    "unsupported-policy: the upstream go-bench-suite cannot wait 10ms and then answer with 5 bytes. It can: answer at once with any number of bytes, or wait and answer with none. Drop the delay, or set responseBytes to 0.",
  ]);
});

test("it cannot serve a TLS profile, and says who can", () => {
  expect(refusals({}, true)).toEqual([
    "unsupported-policy: the upstream go-bench-suite cannot serve a TLS profile: it offers Go's own versions and ciphers, and resumes sessions. It can: answer over http behind gateways that serve https. Drop tls and the baseline, or choose an upstream with TLS, such as static-payload.",
  ]);
  expect(refusals({}, false)).toEqual([]);
});

test("of its echo, the body that was sent is left", () => {
  const sent = "1 unchänged\r\n";
  const recorded =
    '{"Method":"POST","RequestURI":"/echo","Header":"POST /echo HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n","Headers":{"Host":["h"]},"Body":"1 unchänged\\r\\n","Host":"h","QueryArgs":""}\n';
  const expected = app.echo?.answer?.(sent);
  expect(left(recorded, expected)).toBe(expected?.text);
  expect(left(recorded.replace("1 un", "2 un"), expected)).not.toBe(expected?.text);
});

test("one argv starts it out of the image's own folder and from PATH", () => {
  expect(workload.command).toEqual([
    ...["sh", "-c", 'PATH="$PATH:/opt/bench" exec go-bench-suite "$@"', "sh"],
    ...["upstream", "--addr", "<gatebench:bind>:9001"],
  ]);
  expect(programOf(app)).toBe("go-bench-suite");
});

test("it uses the workers it is given, its own name, and no reference that nothing provides", () => {
  expect(workload).toMatchObject({ name: "upstream-2", env: { GOMAXPROCS: "3" }, ports });
  expect(workload.image).toBe(`mangomm/go-bench-suite:${app.version}`);
  expect(unknownReferences([JSON.stringify(workload)], [], "go-bench-suite")).toEqual([]);
});

test("it counts nothing and does not say which of several it is", () => {
  expect([app.counters, app.label]).toEqual([undefined, undefined]);
});
