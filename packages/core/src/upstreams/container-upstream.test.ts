import { resolveScenario, type UpstreamBehaviour } from "../contract";
import { containerUpstream, type ContainerUpstreamOptions } from "./container-upstream";

const plain: ContainerUpstreamOptions = {
  name: "mine",
  image: "registry.example:5000/mine:1.2.3",
  command: ["mine", "--listen", "<gatebench:bind>:<gatebench:port.http>"],
};
const behaviour = resolveScenario({ name: "x" }).upstream;
const workloadOf = (options: ContainerUpstreamOptions, ports = { http: 9001 }) =>
  containerUpstream(options).workload({ index: 1, behaviour, ports, workers: 3 });
const refusals = (options: ContainerUpstreamOptions, asked: UpstreamBehaviour, tls?: boolean) =>
  containerUpstream(options)
    .unsupported(asked, tls)
    .map(({ message }) => message);

test("a name, an image and a command are enough", () => {
  const app = containerUpstream(plain);
  expect([app.version, app.ports, app.answer({})]).toEqual(["1.2.3", ["http"], { path: "/" }]);
  expect(app.address("10.0.0.1", { http: 9001 })).toEqual({ host: "10.0.0.1", port: 9001 });
  expect(workloadOf(plain)).toMatchObject({
    ...{ name: "upstream-1", role: "upstream", image: plain.image },
    ...{ command: ["mine", "--listen", "<gatebench:bind>:9001"], ports: { http: 9001 } },
    readiness: { port: 9001, path: "/" },
  });
});

test("port and workers stand wherever the program takes them", () => {
  const given = { env: { GOMAXPROCS: "<gatebench:workers>" }, files: { "a.conf": "listen <gatebench:port.http>;" } };
  expect(workloadOf({ ...plain, ...given })).toMatchObject({
    env: { GOMAXPROCS: "3" },
    files: { "a.conf": "listen 9001;" },
  });
});

test("a port that cannot be chosen is there once", () => {
  const fixed = { ...plain, command: ["mine"], port: 80 };
  expect(containerUpstream(fixed).ports).toEqual([]);
  expect(workloadOf(fixed, {} as never)).toMatchObject({ ports: { http: 80 }, readiness: { port: 80 } });
  expect(refusals(fixed, { count: 1 })).toEqual([]);
  expect(refusals(fixed, { count: 2 })).toEqual([
    "the upstream mine cannot be there 2 times on one host, because it always listens on 80. It can: answer as its image and command do. Drop that, or choose an upstream that can, such as static-payload or go-bench-suite.",
  ]);
});

test("what it answers is as it was said to be", () => {
  expect(containerUpstream({ ...plain, path: "/a", body: "hello" }).answer({})).toEqual({
    ...{ path: "/a", body: { text: "hello" } },
  });
  const changing = { text: "id ", without: "[0-9]+" };
  expect(containerUpstream({ ...plain, body: changing }).answer({}).body).toBe(changing);
  expect(containerUpstream({ ...plain, echoPath: "/echo" }).echo).toEqual({ path: "/echo" });
});

test("it counts where it says it does, on its own port if no other is given", () => {
  const values = { requests: "^requests (\\d+)$" };
  const counters = [
    { path: "/metrics", values },
    { port: 9, path: "/more", values },
  ];
  const pages = containerUpstream({ ...plain, counters }).counters?.({ http: 9001 });
  expect(pages?.map(({ port, path }) => [port, path])).toEqual([
    [9001, "/metrics"],
    [9, "/more"],
  ]);
});

test("an observatory finds its metrics where it says they are, on its own port if no other is given", () => {
  const figures = [{ name: "hits", unit: "requests", kind: "counter", query: "hits_total{$upstream}" }] as const;
  const metrics = [
    { path: "/metrics", figures },
    { port: 9, path: "/more" },
  ];
  expect(containerUpstream({ ...plain, metrics }).metrics?.({ http: 9001 })).toEqual([
    { port: 9001, path: "/metrics", figures },
    { port: 9, path: "/more" },
  ]);
});

test("a size, a delay or TLS is refused, never left out", () => {
  expect(refusals(plain, { responseBytes: 0, delay: "1s" }, true).map((line) => line.split(". It can")[0])).toEqual([
    "the upstream mine cannot wait 1s before it answers",
    "the upstream mine cannot answer with 0 bytes",
    "the upstream mine cannot serve a TLS profile",
  ]);
  expect(refusals({ ...plain, body: "hello" }, { responseBytes: 5 })).toEqual([]);
});

test.each([
  [
    { ...plain, command: ["mine"] },
    'invalid-option: upstream mine is not told where to listen. Put <gatebench:port.http> where its command, env or files take a port, or give the "port" it always has.',
  ],
  [
    { ...plain, command: ["mine", "<gatebench:port.http>", "<gatebench:port.admin>"] },
    "unknown-reference: upstream mine refers to <gatebench:port.admin>, which nothing here provides. Known: port.http, workers.",
  ],
  [
    { ...plain, image: "registry.example:5000/mine" },
    "invalid-option: upstream mine runs the image registry.example:5000/mine, which names no version. Give it a tag, as in registry.example:5000/mine:1.2.3.",
  ],
])("what cannot work is refused at once", (options, line) => {
  expect(() => containerUpstream(options)).toThrow(line);
});
