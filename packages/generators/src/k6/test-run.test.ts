import type { Load, RequestSpec, Target } from "@gatebench/core/contract";
import { expectGolden } from "./golden";
import { testRun, type TestRunOptions } from "./test-run";

const load: Load = { model: "closed", connections: 50, duration: "30s" };
const target: Target = {
  ...{ scheme: "http", host: "gateway.example", port: 8080, cpus: 4 },
  requests: [{ method: "GET", path: "/1k.txt", headers: {}, expect: 200 }],
};

describe("a load in Kubernetes", () => {
  const asked: TestRunOptions = { name: "k6-run", namespace: "bench", load, target, parallelism: 2 };

  test("is a TestRun and a ConfigMap with its script", () => {
    expectGolden("test-run.json", `${JSON.stringify(testRun(asked), null, 2)}\n`);
  });

  test("is the user's script beside ours where there is one", () => {
    const [config] = testRun({ ...asked, script: "export default function () {}" }).manifests;
    expect(Object.keys(config?.["data"] as object)).toEqual(["script.js", "user.js", "requests.json"]);
  });

  test("is refused where a pod would have nothing to send", () => {
    expect(() => testRun({ ...asked, parallelism: 51 })).toThrow(
      new Error(
        "invalid-option: k6 cannot divide a load of 50 users between 51 pods; give a parallelism from 1 to 50.",
      ),
    );
  });

  test("is refused where its script is more than a ConfigMap holds", () => {
    const [request] = target.requests;
    const requests = Array.from({ length: 6000 }, () => ({ ...request, path: `/${"a".repeat(100)}` }) as RequestSpec);
    expect(() => testRun({ ...asked, target: { ...target, requests } })).toThrow(
      /^unsupported-load: k6's script would be \d+ bytes, and a ConfigMap holds 1048576\. Choose a scenario with fewer routes and consumers\.$/,
    );
  });
});
