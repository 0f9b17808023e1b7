import { crashOf, whyEnded, whyNotStarted, type Pod } from "./pod-state";

const podWith = (status: Partial<Pod["status"]>, metadata: Partial<Pod["metadata"]> = {}): Pod => ({
  metadata: { name: "load-abc", ...metadata },
  spec: { nodeName: "generator", containers: [{ image: "wrk:4.1.0" }] },
  status: { phase: "Pending", ...status },
});
const waiting = (reason: string, message?: string) =>
  podWith({ containerStatuses: [{ state: { waiting: { reason, message } } }] });

describe("a pod that does not start", () => {
  test("is waited for while its image comes", () => {
    expect(whyNotStarted(waiting("ContainerCreating"), 599)).toBeUndefined();
  });

  test("is given up where its registry failed more than once, with image, pod and node", () => {
    const pod = waiting("ErrImagePull", "no such host");
    expect(whyNotStarted(pod, 5)).toBeUndefined();
    expect(whyNotStarted(pod, 31)).toBe(
      "image-unavailable: wrk:4.1.0 could not be pulled for pod load-abc on node generator: ErrImagePull: no such host. Let the node reach its registry, or load the image under that name.",
    );
  });

  test("is given up at once where its container cannot be made", () => {
    expect(whyNotStarted(waiting("CreateContainerConfigError", "secret not found"), 0)).toBe(
      "job-failed: pod load-abc on node generator cannot start wrk:4.1.0: CreateContainerConfigError: secret not found. kubectl describe pod says more.",
    );
  });

  test("is given up where its node has no room for it", () => {
    const conditions = [{ type: "PodScheduled", status: "False", message: "0/4 nodes: Insufficient cpu." }];
    expect(whyNotStarted(podWith({ conditions }), 5)).toBeUndefined();
    expect(whyNotStarted(podWith({ conditions }), 16)).toBe(
      "host-unready: pod load-abc fits on no node: 0/4 nodes: Insufficient cpu. Make room for it on the node of local, and run up again.",
    );
  });

  test("is given up after ten minutes, whatever it waits for", () => {
    expect(whyNotStarted(waiting("ContainerCreating"), 600)).toMatch(/did not start within 600 s: ContainerCreating\./);
  });
});

describe("a pod that ended", () => {
  const terminated = { reason: "Error", exitCode: 137 };
  const killed = { phase: "Failed", containerStatuses: [{ state: { terminated } }] };

  test("tells of who evicted it before it tells how its program ended", () => {
    const conditions = [
      { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" },
    ];
    expect(whyEnded(podWith({ ...killed, conditions }))).toBe("EvictionByEvictionAPI: Eviction API: evicting");
  });

  test("tells what its kubelet evicted it for", () => {
    expect(whyEnded(podWith({ ...killed, reason: "Evicted", message: "The node was low on resource: memory." }))).toBe(
      "Evicted: The node was low on resource: memory",
    );
  });

  test("tells that it was deleted", () => {
    expect(whyEnded(podWith(killed, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe("it was deleted");
  });

  test("tells that the kernel ended it for its memory", () => {
    const state = { terminated: { reason: "OOMKilled", exitCode: 137 } };
    expect(whyEnded(podWith({ phase: "Failed", containerStatuses: [{ state }] }))).toBe("OOMKilled");
  });
});

test("a workload that is started again and again has ended, with the words of its life before", () => {
  const lastState = { terminated: { reason: "Error", exitCode: 1, message: "unknown directive" } };
  const state = { waiting: { reason: "CrashLoopBackOff" } };
  expect(crashOf(podWith({ containerStatuses: [{ state, lastState }] }))?.message).toBe("unknown directive");
});
