import type { Column } from "../../../../schema/language/kind.ts";
import { ageColumn, nameColumn, since } from "../../../meta/v1/columns.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import type { ContainerStatus } from "../container/container-status.ts";
import type { PodSpec } from "./pod-spec.ts";
import { type PodStatus, podCondition } from "./pod-status.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

export const podColumns: readonly Column<PodLike>[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "The aggregate readiness state of this pod for accepting traffic.",
    cell(pod) {
      const { ready, total } = podSummary(pod);
      return `${ready}/${total}`;
    },
  },
  {
    name: "Status",
    type: "string",
    description: "The aggregate status of the containers in this pod.",
    cell: (pod) => podSummary(pod).reason,
  },
  {
    name: "Restarts",
    type: "string",
    description:
      "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
    cell(pod, { now }) {
      const { restarts, lastRestart } = podSummary(pod);
      return restarts > 0 && lastRestart
        ? `${restarts} (${since(lastRestart, now)} ago)`
        : `${restarts}`;
    },
  },
  ageColumn,
  {
    name: "IP",
    type: "string",
    description:
      "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.",
    wide: true,
    cell: ({ status }) => status.podIPs?.[0]?.ip || "<none>",
  },
  {
    name: "Node",
    type: "string",
    description:
      "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
    wide: true,
    cell: ({ spec }) => spec.nodeName || "<none>",
  },
  {
    name: "Nominated Node",
    type: "string",
    description:
      "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.",
    wide: true,
    cell: ({ status }) => status.nominatedNodeName || "<none>",
  },
  {
    name: "Readiness Gates",
    type: "string",
    description:
      'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
    wide: true,
    cell({ spec: { readinessGates = [] }, status }) {
      if (readinessGates.length === 0) return "<none>";
      const open = readinessGates.filter(
        ({ conditionType }) => podCondition(status, conditionType)?.status === "True",
      );
      return `${open.length}/${readinessGates.length}`;
    },
  },
];

/** What a table says of a pod that has ended, beside its cells. */
export function podRowConditions({ status }: PodLike): readonly object[] {
  const type = "Completed";
  if (status.phase === "Succeeded")
    return [
      { type, status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
    ];
  if (status.phase === "Failed")
    return [{ type, status: "True", reason: "Failed", message: "The pod failed." }];
  return [];
}

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string;
}

/** A pod in a few words, as `kubectl get pods` shows it. */
export function podSummary({ metadata, spec, status }: PodLike): Summary {
  const sidecars = new Set(
    (spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const total = (spec.containers ?? []).length + sidecars.size;
  const tally: Tally = {
    ready: 0,
    restarts: 0,
    lastRestart: "",
    reason: status.reason || status.phase || "",
  };
  if (
    status.conditions?.some(
      ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
    )
  )
    tally.reason = "SchedulingGated";

  const initializing = tallyInitContainers(tally, { spec, status, sidecars });
  if (!initializing || podCondition(status, "Initialized")?.status === "True") {
    tally.restarts = 0;
    tally.lastRestart = "";
    for (const container of (status.initContainerStatuses ?? []).slice(0, initializing?.seen))
      if (sidecars.has(container.name)) tallyRestarts(tally, container);
    tallyContainers(tally, status);
  }

  if (metadata.deletionTimestamp) {
    if (status.reason === "NodeLost") tally.reason = "Unknown";
    else if (status.phase !== "Succeeded" && status.phase !== "Failed")
      tally.reason = "Terminating";
  }
  return { ...tally, total };
}

interface Tally {
  ready: number;
  restarts: number;
  lastRestart: string;
  reason: string;
}

/** Times are written in UTC to the second: their order is that of their texts. */
function tallyRestarts(tally: Tally, { restartCount, lastState }: ContainerStatus): void {
  tally.restarts += restartCount ?? 0;
  const finished = lastState?.terminated?.finishedAt ?? "";
  if (finished > tally.lastRestart) tally.lastRestart = finished;
}

/** Stops at the first init container that is still to be done: how many were looked at by then. */
function tallyInitContainers(
  tally: Tally,
  { spec, status, sidecars }: Pick<PodLike, "spec" | "status"> & { sidecars: ReadonlySet<string> },
): { readonly seen: number } | undefined {
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    tallyRestarts(tally, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecars.has(container.name) && container.started) {
      if (container.ready) tally.ready++;
      continue;
    }
    if (terminated) tally.reason = `Init:${endOf(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing")
      tally.reason = `Init:${waiting.reason}`;
    else tally.reason = `Init:${i}/${(spec.initContainers ?? []).length}`;
    return { seen: i + 1 };
  }
  return undefined;
}

function tallyContainers(tally: Tally, status: PodStatus): void {
  let running = false;
  let failure = "";
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    tallyRestarts(tally, container);
    const { terminated, waiting, running: isRunning } = container.state ?? {};
    if (waiting?.reason) tally.reason = waiting.reason;
    else if (terminated) {
      tally.reason = endOf(terminated);
      if ((terminated.exitCode ?? 0) !== 0) failure = tally.reason;
    } else if (container.ready && isRunning) {
      running = true;
      tally.ready++;
    }
  }
  // Some containers have completed, but others may still run, or have failed.
  if (tally.reason !== "Completed") return;
  if (running && podReady(status)) tally.reason = "Running";
  else if (failure) tally.reason = failure;
  else if (running) tally.reason = "NotReady";
}

const podReady = ({ conditions = [] }: PodStatus): boolean =>
  conditions.some(({ type, status }) => type === "Ready" && status === "True");

function endOf({
  reason,
  signal,
  exitCode = 0,
}: {
  readonly reason?: string | undefined;
  readonly signal?: number | undefined;
  readonly exitCode?: number | undefined;
}): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}
