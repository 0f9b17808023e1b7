/**
 * What gatebench relies on in the kubernetes plug-in, as laws about stacks on a real cluster (test/cluster): with its
 * stand-in (test/cluster/kubernetes), as the official one is published as a release download and in no registry.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { openStack, openStackCluster, type StackCluster, type TestStack } from "./kubernetes-stack";

jest.setTimeout(180_000);

const NGINX = "nginx:1.30.4";
const SECRET = "correct-horse-battery";
let cluster: StackCluster;
let provider: (args?: k8s.ProviderArgs) => k8s.Provider;
const open: TestStack[] = [];
const charts = mkdtempSync(join(tmpdir(), "gatebench-charts-"));

beforeAll(async () => {
  cluster = await openStackCluster('[{"name":"plain"}]', [NGINX]);
  provider = (args) => new k8s.Provider("cluster", { kubeconfig: cluster.kubeconfig, ...args });
});

afterAll(async () => {
  for (const stack of open) await stack.close();
  await cluster?.destroy();
  rmSync(charts, { recursive: true, force: true });
});

async function stackOf(name: string): Promise<TestStack> {
  const stack = await openStack(name, { ...cluster.env, GATEBENCH_CHARTS: charts });
  open.push(stack);
  return stack;
}

/** An object as the API server has it; undefined when it has none. */
async function live(kind: string, name: string, namespace = "default") {
  const text = await cluster.kubectl(
    "get",
    kind,
    name,
    "--namespace",
    namespace,
    "--ignore-not-found",
    "--output",
    "json",
  );
  return text ? JSON.parse(text) : undefined;
}

const web = (name: string, image = NGINX, more: Partial<k8s.types.input.apps.v1.DeploymentSpec> = {}) => ({
  selector: { matchLabels: { app: name } },
  template: {
    metadata: { labels: { app: name } },
    spec: {
      containers: [
        {
          ...{ name: "nginx", image, command: ["nginx", "-g", "daemon off;"] },
          resources: { limits: { cpu: "0.2", memory: "128Mi" } },
        },
      ],
      terminationGracePeriodSeconds: 1,
    },
  },
  ...more,
});

describe("an object's life", () => {
  let stack: TestStack;
  const map = (data: Record<string, string>, name?: string) => () => {
    const metadata = name ? { name, labels: { team: "a" } } : undefined;
    const { id } = new k8s.core.v1.ConfigMap("settings", { metadata, data }, { provider: provider() });
    return { id };
  };

  beforeAll(async () => void (stack = await stackOf("life")));

  test("a preview makes nothing", async () => {
    const { error, operations } = await stack.preview(map({ a: "1" }));
    expect(error).toBeUndefined();
    expect(operations["settings"]).toEqual(["create"]);
    expect(await cluster.kubectl("get", "configmaps", "--output", "name")).not.toContain("settings");
  });

  test("without a name it gets one of its own, in the provider's namespace", async () => {
    const { error, outputs } = await stack.up(map({ a: "1" }));
    expect(error).toBeUndefined();
    expect(outputs["id"]?.value).toMatch(/^default\/settings-[0-9a-f]{8}$/);
    const object = await live("configmap", outputs["id"]?.value.split("/")[1]);
    expect(object.data).toEqual({ a: "1" });
    expect(object.metadata.annotations).toEqual({ "pulumi.com/autonamed": "true" });
  });

  test("a second up changes nothing, and neither does one after a refresh", async () => {
    expect((await stack.up(map({ a: "1" }))).operations["settings"]).toEqual(["same"]);
    await stack.refresh();
    expect((await stack.up(map({ a: "1" }))).operations["settings"]).toEqual(["same"]);
  });

  test("other data of a ConfigMap makes a new one under a new name, then deletes the old one", async () => {
    const before = (await stack.up(map({ a: "1" }))).outputs["id"]?.value;
    const { operations, outputs } = await stack.up(map({ a: "2" }));
    expect(operations["settings"]).toEqual(["create-replacement", "replace", "delete-replaced"]);
    expect(outputs["id"]?.value).not.toBe(before);
    expect(await live("configmap", before.split("/")[1])).toBeUndefined();
  });

  test("where its name is given, the old one goes first", async () => {
    await stack.up(map({ a: "2" }, "fixed"));
    const { operations, error } = await stack.up(map({ a: "3" }, "fixed"));
    expect(error).toBeUndefined();
    expect(operations["settings"]).toEqual(["delete-replaced", "replace", "create-replacement"]);
    expect((await live("configmap", "fixed")).data).toEqual({ a: "3" });
  });

  test("what somebody else has made is not taken over", async () => {
    await cluster.kubectl("create", "configmap", "theirs");
    const other = await stackOf("theirs");
    const program = map({ a: "1" }, "theirs");
    expect((await other.preview(program)).error).toBeUndefined();
    const { said } = await other.up(program);
    expect(said).toContain(
      'was not successfully created by the Kubernetes API server: configmaps "theirs" already exists',
    );
    expect((await live("configmap", "theirs")).data).toBeUndefined();
  });

  test("what somebody else has deleted is found missing by a refresh, and made again", async () => {
    await stack.up(map({ a: "3" }, "fixed"));
    await cluster.kubectl("delete", "configmap", "fixed");
    await stack.refresh();
    expect((await stack.up(map({ a: "3" }, "fixed"))).operations["settings"]).toEqual(["create"]);
  });

  test("a deletion waits until the object is gone", async () => {
    await stack.up(map({ a: "3" }, "fixed"));
    await cluster.kubectl(
      "patch",
      "configmap",
      "fixed",
      "-p",
      '{"metadata":{"finalizers":["gatebench.invalid/held"]}}',
    );
    const release = new Promise((resolve) => setTimeout(resolve, 4_000)).then(() =>
      cluster.kubectl("patch", "configmap", "fixed", "-p", '{"metadata":{"finalizers":null}}'),
    );
    const [{ error, seconds }] = await Promise.all([stack.up(() => ({})), release]);
    expect(error).toBeUndefined();
    expect(seconds).toBeGreaterThan(4);
    expect(await live("configmap", "fixed")).toBeUndefined();
  });
});

describe("an update", () => {
  test("is applied in place, takes away what is left out, and leaves others' fields alone", async () => {
    const stack = await stackOf("update");
    const account = (labels: Record<string, string>) => () =>
      void new k8s.core.v1.ServiceAccount(
        "account",
        { metadata: { name: "account", labels } },
        { provider: provider() },
      );
    await stack.up(account({ a: "1", b: "1" }));
    await cluster.kubectl("label", "serviceaccount", "account", "c=theirs");
    expect((await stack.up(account({ a: "2" }))).operations["account"]).toEqual(["update"]);
    expect((await live("serviceaccount", "account")).metadata.labels).toEqual({ a: "2", c: "theirs" });
    expect((await stack.up(account({ a: "2" }))).operations["account"]).toEqual(["same"]);
  });
});

describe("secrets", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await stackOf("secrets");
    const password = pulumi.secret(SECRET);
    await stack.up(() => {
      const options = { provider: provider() };
      new k8s.core.v1.Secret("plain", { metadata: { name: "plain" }, stringData: { password: SECRET } }, options);
      new k8s.core.v1.ConfigMap("map", { metadata: { name: "map" }, data: { password, open: "yes" } }, options);
      new k8s.apps.v1.Deployment(
        "listed",
        {
          metadata: { name: "listed" },
          spec: web("listed", NGINX, {
            replicas: 0,
            template: {
              metadata: { labels: { app: "listed" } },
              spec: { containers: [{ name: "nginx", image: NGINX, env: [{ name: "PASSWORD", value: password }] }] },
            },
          }),
        },
        options,
      );
    });
  });

  test("reach the API server in the clear", async () => {
    expect((await live("configmap", "map")).data).toEqual({ password: SECRET, open: "yes" });
    expect(Buffer.from((await live("secret", "plain")).data.password, "base64").toString()).toBe(SECRET);
    expect((await live("deployment", "listed")).spec.template.spec.containers[0].env[0].value).toBe(SECRET);
  });

  test("stay secret in what `pulumi stack export` says, in an object's data and in a Secret's", async () => {
    const state = JSON.stringify(await stack.state());
    expect(state).not.toContain(SECRET);
    expect(state).not.toContain(Buffer.from(SECRET).toString("base64"));
    expect(state).toContain('"open":"yes"');
  });

  test("and make no difference where there is none", async () => {
    await stack.refresh();
    const state = JSON.stringify(await stack.state());
    expect(state).not.toContain(SECRET);
    expect(state).not.toContain(Buffer.from(SECRET).toString("base64"));
  });
});

describe("a preview", () => {
  test("refuses what the API server refuses", async () => {
    const stack = await stackOf("refused");
    const { error, said } = await stack.preview(() => {
      new k8s.core.v1.Service(
        "wrong",
        { metadata: { name: "wrong" }, spec: { ports: [{ port: 70_000 }], selector: { app: "web" } } },
        { provider: provider() },
      );
    });
    expect(error).toBeDefined();
    expect(said).toContain('Service "wrong" is invalid: [spec.ports[0].port: Invalid value: 70000: must be');
  });

  test("does not hold against an object that its namespace is yet to come", async () => {
    const stack = await stackOf("namespaced");
    const program = () => {
      const space = new k8s.core.v1.Namespace("space", { metadata: { name: "space" } }, { provider: provider() });
      const metadata = { name: "inside", namespace: space.metadata.name };
      new k8s.core.v1.ConfigMap("inside", { metadata, data: { a: "1" } }, { provider: provider2() });
    };
    const provider2 = () => new k8s.Provider("other", { kubeconfig: cluster.kubeconfig });
    expect((await stack.preview(program)).error).toBeUndefined();
    expect((await stack.up(program)).error).toBeUndefined();
    expect((await live("configmap", "inside", "space")).data).toEqual({ a: "1" });
    expect((await stack.destroy()).error).toBeUndefined();
    expect(await live("namespace", "space")).toBeUndefined();
  });

  test("says what to do about a cluster that nobody reaches", async () => {
    const stack = await stackOf("unreachable");
    const nowhere = { clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }] };
    const user = {
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      users: [{ name: "a", user: { token: "t" } }],
    };
    const kubeconfig = JSON.stringify({ ...nowhere, ...user, "current-context": "a" });
    const { said } = await stack.up(
      () => void new k8s.core.v1.ConfigMap("map", {}, { provider: provider({ kubeconfig }) }),
    );
    expect(said).toContain("configured Kubernetes cluster is unreachable: connect ECONNREFUSED 127.0.0.1:1");
  });
});

describe("a custom resource", () => {
  const crontab = {
    apiVersion: "stable.gatebench.invalid/v1",
    kind: "CronTab",
    metadata: { name: "tab" },
    spec: { every: "minute" },
  };

  test("needs its definition", async () => {
    const stack = await stackOf("undefined");
    const program = () => void new k8s.apiextensions.CustomResource("tab", crontab, { provider: provider() });
    expect((await stack.preview(program)).error).toBeUndefined();
    const { said } = await stack.up(program);
    expect(said).toContain(
      'Verify that any required CRDs have been created: no matches for kind "CronTab" in version "stable.gatebench.invalid/v1"',
    );
  });

  test("is checked against it, and can wait for a condition", async () => {
    const stack = await stackOf("defined");
    const schema = (type: string) => ({
      type: "object",
      properties: {
        spec: { type: "object", properties: { every: { type } } },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    });
    const program =
      (spec: Record<string, unknown>, annotations = {}) =>
      () => {
        const names = { kind: "CronTab", plural: "crontabs", singular: "crontab" };
        const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema("string") } };
        const definition = new k8s.apiextensions.v1.CustomResourceDefinition(
          "crontabs",
          {
            metadata: { name: "crontabs.stable.gatebench.invalid" },
            spec: { group: "stable.gatebench.invalid", scope: "Namespaced", names, versions: [version] },
          },
          { provider: provider() },
        );
        new k8s.apiextensions.CustomResource(
          "tab",
          { ...crontab, metadata: { name: "tab", annotations }, spec },
          { dependsOn: definition, provider: new k8s.Provider("tabs", { kubeconfig: cluster.kubeconfig }) },
        );
      };
    expect((await stack.up(program({ every: "minute" }))).error).toBeUndefined();
    const refused = await stack.preview(program({ every: 5 }));
    expect(refused.said).toContain(".spec.every: expected string");
    const waiting = { "pulumi.com/waitFor": "jsonpath={.status.phase}=Running", "pulumi.com/timeoutSeconds": "2" };
    const tooEarly = await stack.up(program({ every: "hour" }, waiting));
    expect(tooEarly.said).toContain("'tab' timed out waiting to be Ready");
    expect(tooEarly.said).toContain("Waiting for jsonpath={.status.phase}=Running");
    await cluster.kubectl("patch", "crontab", "tab", "--type", "merge", "-p", '{"status":{"phase":"Running"}}');
    expect((await stack.up(program({ every: "hour" }, waiting))).error).toBeUndefined();
  });
});

describe("a Deployment", () => {
  test("is there once it is rolled out, and its Service once it has endpoints", async () => {
    const stack = await stackOf("rolled-out");
    const program = (replicas: number) => () => {
      const options = { provider: provider() };
      const spec = web("web", NGINX, { replicas });
      new k8s.apps.v1.Deployment("web", { metadata: { name: "web" }, spec }, options);
      const service = { selector: { app: "web" }, ports: [{ port: 80 }] };
      const { spec: made } = new k8s.core.v1.Service(
        "web-service",
        { metadata: { name: "web" }, spec: service },
        options,
      );
      return { address: made.clusterIP };
    };
    expect((await stack.preview(program(2))).error).toBeUndefined();
    const { error, outputs } = await stack.up(program(2));
    expect(error).toBeUndefined();
    expect(outputs["address"]?.value).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect((await live("deployment", "web")).status.readyReplicas).toBe(2);
    expect((await stack.up(program(2))).operations).toMatchObject({ web: ["same"], "web-service": ["same"] });
    expect((await stack.up(program(1))).operations["web"]).toEqual(["update"]);
    expect((await stack.destroy()).error).toBeUndefined();
    expect(await cluster.kubectl("get", "pods", "--selector", "app=web", "--output", "name")).toBe("");
  });

  test("that does not come up tells which pod and why, and the next up goes on with it", async () => {
    const stack = await stackOf("stuck");
    const program = (image: string) => () => {
      const annotations = { "pulumi.com/timeoutSeconds": "5" };
      const spec = web("stuck", image);
      new k8s.apps.v1.Deployment("stuck", { metadata: { name: "stuck", annotations }, spec }, { provider: provider() });
    };
    const { said } = await stack.up(program("nowhere.invalid/nginx:1"));
    expect(said).toContain("'stuck' timed out waiting to be Ready");
    expect(said).toContain("Minimum number of live Pods was not attained");
    expect(said).toMatch(
      /\[Pod stuck-\w+-\w+\]: containers with unready status: \[nginx\]\[(ErrImagePull|ImagePullBackOff)\]/,
    );
    const second = await stack.up(program(NGINX));
    expect(second.error).toBeUndefined();
    expect(second.operations["stuck"]).toEqual(["update"]);
  });

  test("with another selector is made anew", async () => {
    const stack = await stackOf("selected");
    const program = (app: string) => () =>
      void new k8s.apps.v1.Deployment("selected", { spec: web(app, NGINX, { replicas: 0 }) }, { provider: provider() });
    await stack.up(program("one"));
    const { operations } = await stack.up(program("two"));
    expect(operations["selected"]).toEqual(["create-replacement", "replace", "delete-replaced"]);
  });
});

describe("a Job", () => {
  const job = (script: string, annotations = {}, backoffLimit = 0) => ({
    metadata: { annotations },
    spec: {
      backoffLimit,
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "work", image: NGINX, command: ["sh", "-c", script] }],
        },
      },
    },
  });
  const program =
    (...given: Parameters<typeof job>) =>
    () =>
      void new k8s.batch.v1.Job("work", job(...given), { provider: provider() });

  test("is there once it is complete, and runs anew when it changes", async () => {
    const stack = await stackOf("complete");
    const { error, seconds } = await stack.up(program("sleep 3"));
    expect(error).toBeUndefined();
    expect(seconds).toBeGreaterThan(3);
    expect((await stack.up(program("sleep 3"))).operations["work"]).toEqual(["same"]);
    const { operations } = await stack.up(program("sleep 1"));
    expect(operations["work"]).toEqual(["create-replacement", "replace", "delete-replaced"]);
  });

  test("that failed names the reason at once, and stays in the state", async () => {
    const stack = await stackOf("failed");
    const { said, seconds } = await stack.up(program("exit 3"));
    expect(said).toContain("[BackoffLimitExceeded] Job has reached the specified backoff limit");
    expect(said).toContain('container "work" completed with exit code 3');
    expect(seconds).toBeLessThan(60);
    const names = (await stack.state()).resources.map(({ urn }: { urn: string }) => urn.split("::").at(-1));
    expect(names).toContain("work");
  });

  test("with skipAwait is not waited for", async () => {
    const stack = await stackOf("skipped");
    expect((await stack.up(program("sleep 600", { "pulumi.com/skipAwait": "true" }))).error).toBeUndefined();
  });
});

describe("a release of a chart", () => {
  const istio = "istio.io/istio@v0.0.0-20260827124520-eed52ebb66ad";
  let base: string;
  let version: string;

  beforeAll(() => {
    const found = execFileSync("go", ["mod", "download", "-json", istio], { cwd: tmpdir(), encoding: "utf8" });
    base = join(JSON.parse(found).Dir, "manifests/charts/base");
    version = /^version: (.*)$/m.exec(execFileSync("cat", [join(base, "Chart.yaml")], { encoding: "utf8" }))?.[1] ?? "";
    mkdirSync(charts, { recursive: true });
    symlinkSync(base, join(charts, `base@${version}`));
  });

  const program = (args: Partial<k8s.helm.v3.ReleaseArgs> & { chart: string }) => (): Record<string, unknown> => {
    const { status, version } = new k8s.helm.v3.Release(
      "base",
      { name: "istio-base", namespace: "istio-system", createNamespace: true, ...args },
      { provider: provider() },
    );
    return { status, version };
  };

  test("is Helm's own: from a folder, upgraded with other values, uninstalled", async () => {
    const stack = await stackOf("release");
    const { error, outputs } = await stack.up(program({ chart: base, values: { defaultRevision: "one" } }));
    expect(error).toBeUndefined();
    expect(outputs["status"]?.value).toMatchObject({
      name: "istio-base",
      status: "deployed",
      revision: 1,
      chart: "base",
    });
    expect(await cluster.kubectl("get", "crds", "--output", "name")).toContain("virtualservices.networking.istio.io");
    expect((await stack.up(program({ chart: base, values: { defaultRevision: "one" } }))).operations["base"]).toEqual([
      "same",
    ]);
    const second = await stack.up(program({ chart: base, values: { defaultRevision: "two" } }));
    expect(second.operations["base"]).toEqual(["update"]);
    expect(second.outputs["status"]?.value.revision).toBe(2);
    expect((await stack.destroy()).error).toBeUndefined();
    expect(await cluster.kubectl("get", "secrets", "--namespace", "istio-system", "--output", "name")).not.toContain(
      "helm",
    );
  });

  test("comes by name and version from the folder that stands for repositories, or the preview says which there are", async () => {
    const stack = await stackOf("named-release");
    const repositoryOpts = { repo: "https://istio-release.storage.googleapis.com/charts" };
    expect((await stack.preview(program({ chart: "base", version, repositoryOpts }))).error).toBeUndefined();
    const { said } = await stack.preview(program({ chart: "base", version: "0.0.1", repositoryOpts }));
    expect(said).toContain(`chart "base" version "0.0.1" not found in ${charts}. There are: base@${version}.`);
  });
});
