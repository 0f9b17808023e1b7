import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  ClosedLoad,
  GeneratorPlan,
  IterationsLoad,
  Load,
  RequestSpec,
  Target,
  UsersLoad,
} from "@gatebench/core/contract";
import { locust, type LocustOptions } from "./locust";

const request: RequestSpec = { method: "GET", path: "/1k.txt", headers: {}, expect: 200 };
const target: Target = { scheme: "http", host: "gateway.example", port: 8080, requests: [request], cpus: 4 };
const closed: ClosedLoad = { model: "closed", connections: 50, duration: "30s" };
const users: UsersLoad = { model: "users", users: 100, spawnPerS: 10, duration: "30s" };
const iterations: IterationsLoad = { model: "iterations", users: 50, perUser: 100, startWithin: "1s" };

const jobOf = (plan: GeneratorPlan) => (plan.kind === "containers" ? plan.job : fail());
const fail = () => {
  throw new Error("not a plan of containers");
};
const planOf = (load: Load, of: Partial<Target> = {}, options: LocustOptions = {}) =>
  jobOf(locust(options).plan(load, { ...target, ...of }));
const headOf = (load: Load, of: Partial<Target> = {}) => {
  const text = planOf(load, of).files?.["locustfile.py"] ?? "";
  return text.slice(0, text.indexOf("# Counts of answers")).trim();
};

describe("a plan", () => {
  const common = "locust -f <gatebench:file.locustfile.py> --headless --only-summary --exit-code-on-error 0";

  test.each<[string, Load, string]>([
    ["closed", closed, "-u 50 -r 50 -t 30s -H http://gateway.example:8080"],
    ["users", users, "-u 100 -r 10 -t 30s -H http://gateway.example:8080"],
    ["iterations", iterations, "-u 50 -r 50 -H http://gateway.example:8080"],
  ])("of model %s is one command", (_, load, rest) => {
    expect(planOf(load).command.join(" ")).toBe(`${common} ${rest}`);
  });

  test("of a closed load says what is sent in Python anybody can read", () => {
    const requests = [request, { ...request, method: "POST", body: "{}", headers: { "x-api-key": "<gatebench:k>" } }];
    expect(
      headOf({ ...closed, connection: "per-request", pacePerConnection: 10, spread: "normal" }, { requests }),
    ).toBe(
      `# Written by gatebench: what is sent, then the recorder, then the users.

LOAD = {"model":"closed","users":50,"spread":"normal","measureFrom":"start","pacePerS":10,"client":"fast","timeoutS":60}
REQUESTS = [
    {"method":"GET","path":"/1k.txt","headers":{"Host":"gateway.example","User-Agent":"hey/0.0.1","Content-Type":"text/plain","Connection":"close"}},
    {"method":"POST","path":"/1k.txt","headers":{"Host":"gateway.example","User-Agent":"hey/0.0.1","Content-Type":"text/plain","X-Api-Key":"<gatebench:k>","Connection":"close"},"body":"{}"},
]`,
    );
  });

  test.each<[string, Load, string]>([
    [
      "users",
      { ...users, think: { min: "100ms", max: "1s" }, measureFrom: "after-ramp" },
      '{"model":"users","users":100,"spread":"uniform","measureFrom":"after-ramp","thinkS":[0.1,1],"client":"fast","timeoutS":60}',
    ],
    [
      "iterations",
      iterations,
      '{"model":"iterations","users":50,"spread":"uniform","measureFrom":"start","perUser":100,"client":"fast","timeoutS":60}',
    ],
  ])("of model %s says how it goes", (_, load, python) => {
    expect(headOf(load)).toContain(`\nLOAD = ${python}\n`);
  });

  test("ends with the recorder and the users, as they stand in the package", () => {
    const text = planOf(closed).files?.["locustfile.py"] ?? "";
    const parts = ["counts", "errors", "recorder", "users"].map((name) =>
      readFileSync(join(__dirname, `../../assets/locust/${name}.py`), "utf8"),
    );
    expect(parts.map((part) => text.includes(part))).toEqual([true, true, true, true]);
  });

  test("with several processes keeps them on this machine", () => {
    const { command } = planOf(closed, { ports: { coordinator: 18557 } }, { processes: 4 });
    expect(command.slice(command.indexOf("--processes")).join(" ")).toBe(
      "--processes 4 --master-bind-host 127.0.0.1 --master-host 127.0.0.1 --master-port 18557 --master-bind-port 18557 --expect-workers-max-wait 60",
    );
  });

  test("with workers coordinates them, and waits for each of their processes", () => {
    const { command } = planOf(closed, { workers: 3, ports: { coordinator: 18557 } }, { processes: 2 });
    expect(command.slice(command.indexOf("--master")).join(" ")).toBe(
      "--master --master-bind-host <gatebench:bind> --master-bind-port 18557 --expect-workers-max-wait 60 --expect-workers 6",
    );
  });

  test("of a locustfile of one's own sends what that says, counted as ever", () => {
    const { command, files } = planOf(users, {}, { script: "class Mine: pass\n" });
    expect(command.join(" ")).toContain(
      "locust -f <gatebench:file.gatebench_recorder.py>,<gatebench:file.user.py> --headless",
    );
    expect(files?.["user.py"]).toBe("class Mine: pass\n");
    expect(files?.["gatebench_recorder.py"]).toContain(
      'os.environ["GATEBENCH_TARGET"] = "http://gateway.example:8080"\n',
    );
    expect(files?.["gatebench_recorder.py"]).not.toContain("class Fast");
  });
});

describe("a crew", () => {
  const crew = locust({ processes: 2 }).crew?.({ ports: { coordinator: 18557 }, workers: 3, cpus: 4 });

  test("is one worker for each host, which knows no load and comes back for the next", () => {
    expect(crew?.services).toBeUndefined();
    expect(crew?.workers?.map(({ command, env }) => ({ command, env }))).toEqual([
      {
        command: [
          "sh",
          "-c",
          `trap 'kill "$one"; wait "$one"; exit 0' TERM INT; while :; do locust -f - --worker --master-host <gatebench:address.generator> --master-port 18557 --processes 2 & one=$!; wait "$one"; sleep 1; done`,
        ],
        env: { TMPDIR: "<gatebench:folder>" },
      },
    ]);
  });

  test("is nobody where no hosts are given", () => {
    expect(locust().crew?.({ ports: {}, workers: 0, cpus: 4 })).toEqual({});
  });
});

describe("what it refuses to plan", () => {
  test.each<[string, Load, Partial<Target>, LocustOptions, string]>([
    [
      "parts of seconds",
      { ...closed, duration: "1500ms" },
      {},
      {},
      "invalid-load: locust counts time in whole seconds; its duration cannot be 1.5s.",
    ],
    [
      "threads",
      { ...closed, threads: 2 },
      {},
      {},
      'unsupported-load: locust has no threads; each of its processes uses one core. Drop "threads", or give locust({ processes: 2 }).',
    ],
    [
      "two ways to start",
      { ...users, startWithin: "2s" },
      {},
      {},
      'invalid-load: users start "spawnPerS" or "startWithin", not both. Drop one.',
    ],
    [
      "a ramp that is longer than the load",
      { ...users, spawnPerS: 2 },
      {},
      {},
      "invalid-load: 100 users take 49s to start, and the load lasts 30s. Start them faster, or give a longer duration.",
    ],
    [
      "iterations without their ramp",
      { ...iterations, measureFrom: "after-ramp" },
      {},
      {},
      'unsupported-load: locust counts all iterations. Drop "measureFrom", or use model "users".',
    ],
    [
      "a TLS context per request",
      { ...closed, connection: "per-request" },
      { scheme: "https" },
      { client: "http" },
      `unsupported-load: locust's HttpUser makes a TLS context for each connection and would be measured instead of the gateway. Choose client "fast", or "keep-alive" connections.`,
    ],
    [
      "iterations of a locustfile of one's own",
      iterations,
      {},
      { script: "…" },
      'unsupported-load: locust cannot send a load of model "iterations". It can: closed, users. Choose one of these, or another generator.',
    ],
    [
      "thinking for a locustfile of one's own",
      { ...users, think: { min: "1s", max: "2s" } },
      {},
      { script: "…" },
      'unsupported-load: a locustfile of your own says how long its users think. Drop "think" from the load.',
    ],
    [
      "half a process",
      closed,
      {},
      { processes: 1.5 },
      "invalid-option: locust's processes are a whole number from 1, not 1.5.",
    ],
    ["no timeout", closed, {}, { timeout: "0s" }, "invalid-option: locust's timeout must be above 0, not 0s."],
  ])("%s", (_, load, of, options, sentence) => {
    expect(() => planOf(load, of, options)).toThrow(new Error(sentence));
  });
});
