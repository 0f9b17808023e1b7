import { dirname } from "node:path";
import { agentPath, versionAnnotation } from "../agent/cluster-client";
import { settingNames } from "../agent/setting";
import { agentImage, stateFolder } from "../ssh/remote-agent";
import type { NodePool } from "./cluster";
import { agentLabel, placedOn } from "./placement";

/** What the agent asks the API for: Jobs of its own namespace, and the pods it looks at. */
export const agentRules = [
  { apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "get", "list", "delete"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "delete", "deletecollection"] },
];

export interface AgentPod {
  /** Kubernetes' name of it. */
  readonly name: string;
  /** Names the host in results. */
  readonly host: string;
  readonly pool: NodePool;
  /** Where other hosts ask what this one does. */
  readonly port: number;
  /** Changes when the agent does. */
  readonly version: string;
}

/**
 * The agent of one node. It shares the node's processes and network to tell what they use, and keeps its folder on the
 * node's disk, where Jobs find it under the same path.
 */
export const agentDeployment = ({ name, host, pool, port, version }: AgentPod) => ({
  replicas: 1,
  strategy: { type: "Recreate" },
  selector: { matchLabels: { [agentLabel]: name } },
  template: {
    metadata: { labels: { [agentLabel]: name }, annotations: { [versionAnnotation]: version } },
    spec: {
      ...placedOn(pool),
      serviceAccountName: name,
      hostNetwork: true,
      hostPID: true,
      // A pod in its node's network asks the node's name server otherwise, which knows no Services.
      dnsPolicy: "ClusterFirstWithHostNet",
      terminationGracePeriodSeconds: 2,
      containers: [
        {
          name: "agent",
          image: agentImage,
          imagePullPolicy: "IfNotPresent",
          command: ["sleep", "infinity"],
          env: [
            { name: "XDG_STATE_HOME", value: stateFolder },
            { name: settingNames.host, value: host },
            { name: settingNames.programs, value: "pods" },
            { name: settingNames.agent, value: name },
            { name: settingNames.node, valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
          ],
          ports: [{ name: "observer", containerPort: port, hostPort: port }],
          // Its share where others are busy, no limit: what it uses stands in every result.
          resources: { requests: { cpu: "20m", memory: "64Mi" } },
          volumeMounts: [
            { name: "agent", mountPath: dirname(agentPath) },
            { name: "state", mountPath: `${stateFolder}/gatebench` },
            // Its own network card is asked by its own program; see allowance.ts.
            { name: "node", mountPath: "/host", readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: "agent", configMap: { name } },
        { name: "state", hostPath: { path: `${stateFolder}/gatebench`, type: "DirectoryOrCreate" } },
        { name: "node", hostPath: { path: "/", type: "Directory" } },
      ],
    },
  },
});
