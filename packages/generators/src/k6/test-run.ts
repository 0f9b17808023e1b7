import {
  fault,
  inFlightBound,
  refuse,
  type ClusterPlan,
  type Fault,
  type Load,
  type Target,
} from "@gatebench/core/contract";
import { image } from "./image";
import { environment, flags, k6Faults, scriptFiles, type K6Options } from "./k6";

export interface TestRunOptions extends K6Options {
  /** Of the `TestRun` and of the ConfigMap that holds its script. */
  readonly name: string;
  readonly namespace: string;
  readonly load: Load;
  readonly target: Target;
  /**
   * Pods the load is divided between. The operator adds nothing up: each pod prints figures of its own share, and
   * percentiles of several cannot be merged.
   * @default 1
   */
  readonly parallelism?: number;
  /** Whether no two of the pods may share a node. @default false */
  readonly separate?: boolean;
  /** @default "grafana/k6:1.8.1" */
  readonly image?: string;
}

/** The same load as manifests for k6's operator: a `TestRun`, and a ConfigMap with its script. */
export function testRun({ name, namespace, load, target, ...options }: TestRunOptions): ClusterPlan {
  const { parallelism = 1, separate = false, version = image.version } = options;
  refuse([...k6Faults(load, target, options), ...parallelismFaults(load, parallelism)]);
  const files = scriptFiles(load, target, options);
  refuse(sizeFaults(files));
  return {
    kind: "cluster",
    manifests: [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: files },
      {
        apiVersion: "k6.io/v1alpha1",
        kind: "TestRun",
        metadata: { name, namespace },
        spec: {
          parallelism,
          separate,
          script: { configMap: { name, file: "script.js" } },
          // The operator adds --quiet, --address and each pod's share of the load.
          args: flags.filter((flag) => flag !== "--quiet"),
          runner: {
            image: options.image ?? image.of(version),
            env: Object.entries(environment(load, target, options)).map(([key, value]) => ({ name: key, value })),
          },
        },
      },
    ],
    done: { path: "{.status.stage}", value: "finished" },
    // The operator's own labels of the pods that send.
    collect: { k6_cr: name, runner: "true" },
  };
}

/** A pod without a user of its own would have nothing to send, and k6 would end with an error. */
function parallelismFaults(load: Load, parallelism: number): readonly Fault[] {
  const users = inFlightBound(load);
  if (Number.isInteger(parallelism) && parallelism >= 1 && parallelism <= users) return [];
  return [
    fault(
      "invalid-option",
      `k6 cannot divide a load of ${users} users between ${parallelism} pods; give a parallelism from 1 to ${users}.`,
    ),
  ];
}

/** What a cluster takes as one ConfigMap. */
const mostBytes = 2 ** 20;

function sizeFaults(files: Readonly<Record<string, string>>): readonly Fault[] {
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes < mostBytes) return [];
  return [
    fault(
      "unsupported-load",
      `k6's script would be ${bytes} bytes, and a ConfigMap holds ${mostBytes}. Choose a scenario with fewer routes and consumers.`,
    ),
  ];
}
