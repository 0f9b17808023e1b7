/**
 * When an object counts as there, kind by kind: the rules of the official plug-in. A rule looks at the cluster once; who asks
 * again and again, and for how long, stands in await.mjs.
 */
import { conditionOf, isOwnedBy, isPodReady, isTrue, podFaults, podsOf } from "./pods.mjs";

/**
 * @typedef {object} Look
 * @property {boolean} ready
 * @property {string[]} faults  What stands in the way, for people.
 * @property {boolean} [failed]  It never will be.
 * @property {unknown} [signs]  What has been seen: when it changes, patience starts anew.
 * @property {number} [quietS]  It is ready only once it has been so, with the same `signs`, for as long.
 */

/** @typedef {(object: any, api: ReturnType<import("./api.mjs").openApi>) => Promise<Look> | Look} Rule */

const REVISION = "deployment.kubernetes.io/revision";

/** @type {Rule} */
async function deployment(object, api) {
  const revision = object.metadata.annotations?.[REVISION];
  if (object.status?.observedGeneration !== object.metadata.generation || !revision)
    return { ready: false, faults: [] };
  const set = await replicaSet(object, revision, api);
  const available = isTrue(object, "Available");
  const rolledOut =
    revision === "1" ||
    (isTrue(object, "Progressing") && conditionOf(object, "Progressing").reason === "NewReplicaSetAvailable");
  const live = set !== undefined && (set.status?.readyReplicas ?? 0) >= (set.spec.replicas ?? 1);
  if (available && rolledOut && live) return { ready: true, faults: [] };
  const pods = set ? await podsOf(api, set) : [];
  return { ready: false, faults: [...unmet(object), shortage(available, rolledOut), ...pods.flatMap(podFaults)] };
}

async function replicaSet(object, revision, api) {
  const sets = await api.list({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: object.metadata });
  return sets.find((set) => isOwnedBy(set, object) && set.metadata.annotations?.[REVISION] === revision);
}

const unmet = (object) =>
  ["Progressing", "Available"]
    .map((type) => conditionOf(object, type))
    .filter((one) => one && one.status !== "True" && one.reason && one.message)
    .map(({ reason, message }) => `[${reason}] ${message}`);

function shortage(available, rolledOut) {
  if (!available) return "Minimum number of live Pods was not attained";
  if (!rolledOut) return "Minimum number of Pods to consider the application live was not attained";
  return "Attempted to roll forward to new ReplicaSet, but minimum number of Pods did not become live";
}

/** @type {Rule} */
async function statefulSet(object, api) {
  const {
    observedGeneration,
    updatedReplicas = 0,
    readyReplicas = 0,
    currentRevision,
    updateRevision,
  } = object.status ?? {};
  const wanted = object.spec.replicas ?? 1;
  const isSeen = observedGeneration === object.metadata.generation && currentRevision === updateRevision;
  if (isSeen && updatedReplicas >= wanted && readyReplicas >= wanted) return { ready: true, faults: [] };
  return { ready: false, faults: (await podsOf(api, object)).flatMap(podFaults) };
}

/** @type {Rule} */
async function daemonSet(object, api) {
  const {
    observedGeneration,
    updatedNumberScheduled = 0,
    numberAvailable = 0,
    desiredNumberScheduled = 0,
  } = object.status ?? {};
  const isSeen = observedGeneration === object.metadata.generation;
  if (isSeen && updatedNumberScheduled >= desiredNumberScheduled && numberAvailable >= desiredNumberScheduled)
    return { ready: true, faults: [] };
  return { ready: false, faults: (await podsOf(api, object)).flatMap(podFaults) };
}

/** Only these two reasons end the wait at once: so it is in the official plug-in. */
const FINAL = ["BackoffLimitExceeded", "DeadlineExceeded"];

/** @type {Rule} */
async function job(object, api) {
  const pods = await podsOf(api, object);
  const failure = conditionOf(object, "Failed");
  const signs = [object, ...pods].map(({ metadata }) => metadata.resourceVersion);
  const faults = pods.flatMap(podFaults);
  if (failure?.status === "True" && FINAL.includes(failure.reason))
    return { ready: false, failed: true, faults: [`[${failure.reason}] ${failure.message}`, ...faults], signs };
  return { ready: object.status?.startTime !== undefined && isTrue(object, "Complete"), faults, signs };
}

/** @type {Rule} */
const pod = (object) => ({
  ready: isPodReady(object),
  faults: podFaults(object),
  signs: object.metadata.resourceVersion,
});

const NO_PODS =
  "Service does not target any Pods. Selected Pods may not be ready, or field '.spec.selector' may not match labels on any Pods";
const NO_ADDRESS = "Service was not allocated an IP address; does your cloud provider support this?";

/** A Service that selects nothing counts as there once nothing has come for as long. */
const QUIET_S = 10;

/** @type {Rule} */
async function service(object, api) {
  const { type = "ClusterIP", clusterIP, selector = {} } = object.spec;
  const hasAddress = type !== "LoadBalancer" || (object.status?.loadBalancer?.ingress?.length ?? 0) > 0;
  const targetsPods = type !== "ExternalName" && clusterIP !== "None" && Object.keys(selector).length > 0;
  if (!targetsPods) return { ready: hasAddress, faults: hasAddress ? [] : [NO_ADDRESS] };
  const { isMade, ready, pending } = await endpoints(object, api);
  const faults = [...(ready > 0 ? [] : [NO_PODS]), ...(hasAddress ? [] : [NO_ADDRESS])];
  return { ready: hasAddress && isMade && pending === 0, faults, quietS: ready > 0 ? 0 : QUIET_S };
}

async function endpoints({ metadata: { name, namespace } }, api) {
  const query = { labelSelector: `kubernetes.io/service-name=${name}` };
  const slices = await api.list(
    { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { namespace } },
    query,
  );
  const found = slices.flatMap((one) => one.endpoints ?? []);
  const ready = found.filter(({ conditions = {} }) => conditions.ready !== false).length;
  return { isMade: slices.length > 0, ready, pending: found.length - ready };
}

/** @type {Rule} */
const claim = ({ status }) => ({ ready: status?.phase === "Bound", faults: [`it is ${status?.phase}, not Bound`] });

/** @type {Record<string, Rule>} */
export const rules = {
  "apps/v1/Deployment": deployment,
  "apps/v1/StatefulSet": statefulSet,
  "apps/v1/DaemonSet": daemonSet,
  "batch/v1/Job": job,
  "v1/Pod": pod,
  "v1/Service": service,
  "v1/PersistentVolumeClaim": claim,
};
