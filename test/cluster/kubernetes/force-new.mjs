/**
 * Which changes make a new object, because the API server would refuse them or mean something else by them: the table of the
 * official plug-in, for the kinds and versions the API server still has.
 */

const selector = [".spec.selector"];
const pod = [
  ...["affinity", "automountServiceAccountToken", "dnsConfig", "dnsPolicy", "enableServiceLinks", "hostAliases"],
  ...["hostIPC", "hostNetwork", "hostPID", "hostname", "imagePullSecrets", "nodeName", "nodeSelector", "overhead"],
  ...["preemptionPolicy", "priority", "priorityClassName", "readinessGates", "restartPolicy", "runtimeClassName"],
  ...["schedulerName", "securityContext", "serviceAccount", "serviceAccountName", "shareProcessNamespace", "subdomain"],
  ...["terminationGracePeriodSeconds", "volumes"],
].map((name) => `.spec.${name}`);
const container = [
  ...["args", "command", "env", "image", "imagePullPolicy", "lifecycle", "livenessProbe", "ports", "readinessProbe"],
  ...[
    "resources",
    "securityContext",
    "stdin",
    "stdinOnce",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "tty",
  ],
  ...["volumeDevices", "volumeMounts", "workingDir"],
].flatMap((name) => [`.spec.containers[*].${name}`, `.spec.initContainers[*].${name}`]);

const byKind = {
  "apps/v1/DaemonSet": selector,
  "apps/v1/Deployment": selector,
  "apps/v1/StatefulSet": [
    ...selector,
    ...[".spec.podManagementPolicy", ".spec.revisionHistoryLimit", ".spec.serviceName", ".spec.volumeClaimTemplates"],
  ],
  "batch/v1/Job": [...selector, ".spec.completions", ".spec.parallelism", ".spec.template"],
  "rbac.authorization.k8s.io/v1/ClusterRoleBinding": [".roleRef"],
  "rbac.authorization.k8s.io/v1/RoleBinding": [".roleRef"],
  "storage.k8s.io/v1/StorageClass": [".parameters", ".provisioner"],
  "v1/PersistentVolumeClaim": [...selector, ".spec.accessModes", ".spec.storageClassName", ".spec.volumeName"],
  "v1/Pod": [...pod, ...container],
  "v1/ResourceQuota": [".spec.scopes"],
  "v1/Service": [".spec.clusterIP"],
};
const identity = [".metadata.name", ".metadata.namespace"];

/** @typedef {{ configMapMutable: boolean, secretMutable: boolean }} Mutability  As the provider was configured. */

/**
 * @param {import("./api.mjs").KubeObject} object @param {Mutability} mutability
 * @returns {(path: string) => boolean}  Whether a change there makes a new object: spec.template.spec.containers[0].image.
 */
export function replacing(object, mutability) {
  const fields = [...identity, ...fieldsOf(object, mutability)];
  return (path) => {
    const pattern = `.${path.replaceAll(/\[\d+\]/g, "[*]")}`;
    return fields.some(
      (field) => pattern === field || pattern.startsWith(`${field}.`) || pattern.startsWith(`${field}[`),
    );
  };
}

function fieldsOf({ apiVersion, kind, immutable }, { configMapMutable, secretMutable }) {
  const type = `${apiVersion}/${kind}`;
  if (type === "v1/ConfigMap") return configMapMutable && !immutable ? [] : [".binaryData", ".data"];
  if (type === "v1/Secret") return secretMutable && !immutable ? [".type"] : [".type", ".stringData", ".data"];
  return byKind[type] ?? [];
}
