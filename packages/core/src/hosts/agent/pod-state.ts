import { setting } from "./setting";

/** Of a pod, what its cluster's API says; every pod of ours has one container. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly image?: string;
  readonly containerID?: string;
  readonly ready?: boolean;
  readonly state: ContainerState;
  /** Of the life before, where it was started again. */
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly terminated?: Terminated;
}

interface Terminated {
  readonly reason: string;
  readonly exitCode: number;
  readonly message?: string;
}

/** What keeps a pod from starting and does not go by itself. */
const hopeless = /ErrImageNeverPull|InvalidImageName|CreateContainer(Config)?Error|RunContainerError/;
/** The kubelet tries again with these; a registry that fails once may be well soon. */
const doubtful = /ErrImagePull|ImagePullBackOff/;
const doubtS = 30;
/** The nodes of a pool are expected to be there; a scheduler that has found none by then finds none soon. */
export const unscheduledS = 15;
/** An image may be large and its registry slow. */
const startsWithinS = 600;

/** Why a pod does not start, once it is clear that it does not. */
export function whyNotStarted(pod: Pod, afterS: number): string | undefined {
  const { waiting, terminated } = stateOf(pod);
  const where = placeOfPod(pod);
  if (pod.status.phase === "Failed" || terminated)
    return `job-failed: ${where} ended before it began: ${whyEnded(pod)}.`;
  const said = waiting && [waiting.reason, waiting.message].filter(Boolean).join(": ");
  if (waiting && doubtful.test(waiting.reason) && afterS > doubtS)
    return `image-unavailable: ${imageOf(pod)} could not be pulled for ${where}: ${said}. Let the node reach its registry, or load the image under that name.`;
  if (waiting && hopeless.test(waiting.reason))
    return `job-failed: ${where} cannot start ${imageOf(pod)}: ${said}. kubectl describe pod says more.`;
  const unscheduled = unschedulable(pod);
  if (unscheduled !== undefined && afterS > unscheduledS)
    return `host-unready: pod ${pod.metadata.name} fits on no node: ${unscheduled}. Make room for it on the node of ${setting.host}, and run up again.`;
  if (afterS < startsWithinS) return undefined;
  return `job-failed: ${where} did not start within ${startsWithinS} s: ${said ?? pod.status.phase}. kubectl describe pod says more.`;
}

/** What the scheduler says of a pod it has no node for. */
export function unschedulable({ status }: Pod): string | undefined {
  const missed = status.conditions?.find((one) => one.type === "PodScheduled" && one.status === "False");
  return missed?.message?.replace(/\.$/, "");
}

/** Why a pod ended: who ended it, before how its program did. */
export function whyEnded(pod: Pod): string {
  const { status, metadata } = pod;
  const disrupted = status.conditions?.find(({ type, status: is }) => type === "DisruptionTarget" && is === "True");
  const terminated = stateOf(pod).terminated;
  const { reason = undefined, message = undefined } = disrupted ?? (status.reason === undefined ? {} : status);
  const how = metadata.deletionTimestamp === undefined ? (terminated?.reason ?? status.phase) : "it was deleted";
  return [reason ?? how, message ?? terminated?.message].filter(Boolean).join(": ").replace(/\.$/, "");
}

/** How a workload's program ended that is to keep running, in this life or the one before. */
export const crashOf = (pod: Pod): Terminated | undefined =>
  stateOf(pod).terminated ?? pod.status.containerStatuses?.[0]?.lastState?.terminated;

/** Of the image that really runs. */
export const tagOf = ({ status }: Pod): string | undefined =>
  /:([^:@/]+)(@|$)/.exec(status.containerStatuses?.[0]?.image ?? "")?.[1];

export const isRunning = ({ metadata, status }: Pod): boolean =>
  status.phase === "Running" && metadata.deletionTimestamp === undefined;

/** Where a pod is, for a person who looks for it. */
export const placeOfPod = ({ metadata, spec }: Pod): string =>
  `pod ${metadata.name} on node ${spec.nodeName ?? "(none yet)"}`;

const stateOf = ({ status }: Pod): ContainerState => status.containerStatuses?.[0]?.state ?? {};
const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? "its image";
