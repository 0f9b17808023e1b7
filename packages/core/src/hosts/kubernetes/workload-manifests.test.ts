import type { Workload } from "../../contract";
import { deploymentSpec, podFaults, serviceSpec, shownArgv, valuedArguments } from "./workload-manifests";
import { agentDeployment } from "./agent-manifests";

const pool = {
  labels: { pool: "gateway" },
  taints: [{ key: "dedicated", value: "gateway", effect: "NoSchedule" as const }],
};
const workload: Workload = {
  ...{ name: "proxy", role: "gateway", image: "proxy:1.0.0", command: ["proxy", "-c", "<gatebench:file.proxy.conf>"] },
  files: { "proxy.conf": "key <gatebench:consumer-1.key>;" },
  env: { TOKEN: "<gatebench:consumer-1.key>" },
  ports: { traffic: 20001 },
};
const stand = { owner: "bench-proxy", agent: "agent-gateway", pool, files: "the-secret", identity: "abc" };

function specOf(changes: Partial<Workload> = {}) {
  const whole = { ...workload, ...changes };
  const command = shownArgv(whole, { "file.proxy.conf": "/gatebench/proxy.conf" });
  const { template, ...spec } = deploymentSpec(whole, { ...stand, command });
  return { ...spec, template, pod: template.spec, container: template.spec.containers[0] };
}

test("a workload is one pod, and the old one is gone before the new one comes", () => {
  expect(specOf()).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
});

test("it stands on a node of its pool, tolerates what that is tainted with, and is beside its host's agent", () => {
  const { pod } = specOf();
  expect(pod.nodeSelector).toEqual({ pool: "gateway" });
  expect(pod.tolerations).toEqual([{ key: "dedicated", operator: "Equal", value: "gateway", effect: "NoSchedule" }]);
  const [term] = pod.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  expect(term).toMatchObject({ labelSelector: { matchLabels: { "gatebench/agent": "agent-gateway" } } });
});

test("it has no limit but those it asks for, and requests a small share whatever it may use", () => {
  expect(specOf().container?.resources).toEqual({ requests: { cpu: "50m" }, limits: {} });
  expect(specOf({ limits: { cpu: 2, memory: "1Gi" } }).container?.resources).toEqual({
    ...{ requests: { cpu: "0.05" }, limits: { cpu: "2", memory: "1Gi" } },
  });
});

test("files and environment come from its Secret, by reference only", () => {
  const { container, pod } = specOf();
  expect(container?.env).toEqual([
    { name: "TOKEN", valueFrom: { secretKeyRef: { name: "the-secret", key: "env-TOKEN" } } },
  ]);
  expect(pod.volumes).toContainEqual({ name: "files", secret: { secretName: "the-secret" } });
  expect(container?.volumeMounts).toContainEqual(
    expect.objectContaining({ mountPath: "/gatebench/proxy.conf", readOnly: true }),
  );
});

test("an argument that holds a value comes from its Secret too; the others are shown as they are", () => {
  const command = ["proxy", "--key=<gatebench:consumer-1.key>", "-c", "<gatebench:file.proxy.conf>"];
  const { container } = specOf({ command, env: {} });
  expect(valuedArguments({ command })).toEqual([1]);
  expect(container?.command).toEqual(["proxy", "$(GATEBENCH_ARGUMENT_1)", "-c", "/gatebench/proxy.conf"]);
  expect(container?.env).toEqual([
    {
      name: "GATEBENCH_ARGUMENT_1",
      valueFrom: { secretKeyRef: { name: "the-secret", key: "GATEBENCH_ARGUMENT_1" } },
    },
  ]);
});

test("all pods of a host are behind its Services, and a port's name leads to the one that has it", () => {
  const { template, container } = specOf();
  const { selector, ports } = serviceSpec("agent-gateway", { traffic: 20001 });
  expect(template.metadata.labels).toMatchObject(selector);
  expect(ports).toEqual([{ name: "p20001", port: 20001, targetPort: "p20001" }]);
  expect(container?.ports).toEqual([{ name: "p20001", containerPort: 20001 }]);
});

test("it is ready by the answer it promises, or by a connection where a kubelet cannot tell that answer", () => {
  const probeOf = (status?: number) =>
    specOf({ readiness: { port: 20001, path: "/ready", status } }).container?.readinessProbe;
  expect(probeOf()).toMatchObject({ httpGet: { port: 20001, path: "/ready", scheme: "HTTP" } });
  expect(probeOf(404)).toMatchObject({ tcpSocket: { port: 20001 } });
});

test("a pod of it may not ask the cluster's API, the agent's may", () => {
  expect(specOf().pod.automountServiceAccountToken).toBe(false);
  const agent = agentDeployment({ name: "agent-gateway", host: "gateway", pool, port: 20002, version: "1" });
  expect(agent.template.spec).toMatchObject({ serviceAccountName: "agent-gateway", nodeSelector: pool.labels });
  expect(agent.template.spec.containers[0]?.resources).not.toHaveProperty("limits");
});

test("CPUs of its own are refused, since no pod can be given them", () => {
  expect(podFaults({ name: "proxy", cpuset: "0-1" }, "gateway")).toMatchObject([{ code: "unsupported-host" }]);
  expect(podFaults({ name: "proxy" }, "gateway")).toEqual([]);
});
