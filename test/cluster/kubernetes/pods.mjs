/** What is wrong with a pod, in the official plug-in's words. */

const condition = (object, type) => object.status?.conditions?.find((one) => one.type === type);
export const isTrue = (object, type) => condition(object, type)?.status === "True";
export const conditionOf = condition;

export const isPodReady = (pod) =>
  isTrue(pod, "PodScheduled") &&
  isTrue(pod, "Initialized") &&
  (isTrue(pod, "Ready") || pod.status.phase === "Succeeded");

/** @returns {string[]} */
export function podFaults(pod) {
  const scheduled = condition(pod, "PodScheduled");
  if (scheduled && scheduled.status !== "True" && scheduled.message)
    return [`[Pod ${titleOf(pod)}]: ${scheduled.message}`];
  const unmet = ["Initialized", "Ready"].find((type) => !isTrue(pod, type));
  const said = unmet && condition(pod, unmet);
  const containers = (pod.status?.containerStatuses ?? []).flatMap(containerFaults);
  if (!said || pod.status.phase === "Succeeded" || (!said.message && containers.length === 0)) return [];
  return [`[Pod ${titleOf(pod)}]: ${said.reason && said.message ? said.message : ""}${containers.join("\n")}`];
}

/** The namespace is left out where it is the usual one. */
export const titleOf = ({ metadata: { namespace = "default", name } }) =>
  namespace === "default" ? name : `${namespace}/${name}`;

function containerFaults({ name, ready, state = {}, lastState = {} }) {
  if (ready) return [];
  const { waiting, terminated } = state;
  const last = lastState.terminated;
  return [
    ...(waiting && waiting.reason !== "ContainerCreating" ? [`[${waiting.reason}] ${waiting.message ?? ""}`] : []),
    ...(terminated?.reason ? [ended(name, terminated)] : []),
    ...(last
      ? [`container "${name}" terminated at ${last.finishedAt} (${last.reason}: exit code ${last.exitCode})`]
      : []),
    ...(last?.message ? [last.message] : []),
  ];
}

const ended = (name, { reason, message, exitCode }) =>
  message ? `[${reason}] ${message}` : `container "${name}" completed with exit code ${exitCode}`;

/** @param {ReturnType<import("./api.mjs").openApi>} api */
export async function podsOf(api, owner) {
  const pods = await api.list({ apiVersion: "v1", kind: "Pod", metadata: { namespace: owner.metadata.namespace } });
  return pods.filter((pod) => isOwnedBy(pod, owner));
}

export const isOwnedBy = (object, owner) =>
  object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
