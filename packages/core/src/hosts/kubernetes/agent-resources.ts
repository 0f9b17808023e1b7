import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { agentText } from "../ssh/agent-text";
import { agentDeployment, agentRules, type AgentPod } from "./agent-manifests";
import { agentLabel, notAwaited, thereAtOnce } from "./placement";

/** An agent's pod, what it may ask its cluster for, and the name by which other hosts find it: the last of them. */
export function startAgent(
  name: string,
  pod: AgentPod,
  namespace: string,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const metadata = { name: pod.name, namespace };
  const account = new k8s.core.v1.ServiceAccount(`${name}-account`, { metadata }, opts);
  const allowed = allow({ name: pod.name, namespace }, `${name}-role`, agentRules, namespace, {
    ...opts,
    dependsOn: account,
  });
  const data = { "agent.js": agentText() };
  const program = new k8s.core.v1.ConfigMap(`${name}-agent`, { metadata, data }, opts);
  const deployment = new k8s.apps.v1.Deployment(
    `${name}-agent`,
    { metadata: { ...metadata, annotations: thereAtOnce }, spec: agentDeployment(pod) },
    { ...opts, dependsOn: [allowed, program] },
  );
  const ports = [{ name: "observer", port: pod.port }];
  const spec = { clusterIP: "None", selector: { [agentLabel]: pod.name }, ports };
  return new k8s.core.v1.Service(
    `${name}-agent`,
    { metadata: { ...metadata, annotations: notAwaited }, spec },
    { ...opts, dependsOn: deployment },
  );
}

/** Pods of a chart stand in a namespace of their own, into which the agent must look. */
export const mayReadPods = (
  account: Account,
  name: string,
  namespace: string,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource =>
  allow(account, name, [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }], namespace, opts);

/** Of an agent. */
export interface Account {
  readonly name: string;
  readonly namespace: string;
}

/** A role in a namespace, and that the account has it. */
function allow(
  account: Account,
  name: string,
  rules: k8s.types.input.rbac.v1.PolicyRule[],
  namespace: string,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const metadata = { name: account.name, namespace };
  const role = new k8s.rbac.v1.Role(name, { metadata, rules }, opts);
  return new k8s.rbac.v1.RoleBinding(
    `${name}-binding`,
    {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account.name },
      subjects: [{ kind: "ServiceAccount", ...account }],
    },
    { ...opts, dependsOn: role },
  );
}
