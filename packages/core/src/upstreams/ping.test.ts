import { ping } from ".";

const site = { index: 1, workers: 1, ports: { http: 1001 } } as unknown as Parameters<
  ReturnType<typeof ping>["workload"]
>[0];

test("it is told where to listen, and what it answers is known", () => {
  const app = ping({ image: "registry.example/ping:7", limits: { cpu: 0.3, memory: "1Gi" } });
  expect(app.version).toBe("7");
  expect(app.answer({})).toMatchObject({ path: "/api/v1/ping", body: { text: '{"message":"pong"}' } });
  expect(app.workload(site)).toMatchObject({
    image: "registry.example/ping:7",
    command: ["gatebench-ping"],
    env: { PING_BIND: "<gatebench:bind>", PING_LISTEN_PORT: "1001" },
    limits: { cpu: 0.3, memory: "1Gi" },
    readiness: { port: 1001, path: "/healthz" },
  });
});

test("its requests are counted, also where Prometheus writes many of them", () => {
  const [page] = ping().counters?.({ http: 1001 }) ?? [];
  const expression = new RegExp(page?.values?.requests ?? "", "m");
  const pageOf = (count: string) => `# TYPE ping_requests_total counter\nping_requests_total{code="200"} ${count}\n`;
  expect(["17", "1.234567e+06"].map((count) => Number(expression.exec(pageOf(count))?.[1]))).toEqual([17, 1_234_567]);
});

test("another size, a delay or TLS is refused", () => {
  expect(ping().unsupported({ responseBytes: 18 })).toEqual([]);
  for (const [behaviour, tls] of [[{ responseBytes: 19 }], [{ delay: "5ms" }], [{}, true]] as const)
    expect(ping().unsupported(behaviour, tls)).toHaveLength(1);
});
