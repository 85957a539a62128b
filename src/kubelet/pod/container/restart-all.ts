import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";
import { latestOf, type RuntimePod } from "../runtime-pod.ts";
import type { Finding } from "../status/pod-conditions.ts";
import { matchingRule } from "./restart-policy.ts";

/** Whether a pod has a rule that restarts all containers when one ends. */
const couldRestartAll = ({ spec }: Pod): boolean =>
  containersOf(spec).some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );

/** Whether the end of a container restarts all, and the restart is not complete. */
export function isRestartingAll(pod: Pod, runtimePod: RuntimePod, status: PodStatus): boolean {
  if (!couldRestartAll(pod)) return false;
  const isReported = status.conditions?.some(
    ({ type, status }) => type === "AllContainersRestarting" && status === "True",
  );
  if (isReported) return true;
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  return containersOf(pod.spec).some((container) => {
    const latest = latestOf(runtimePod, container.name);
    if (latest?.state === "exited" && restartsAll(container, latest.exitCode)) return true;
    const end = statuses.find(({ name }) => name === container.name)?.state?.terminated;
    return end !== undefined && restartsAll(container, end.exitCode);
  });
}

/** The condition for such a restart; undefined if the pod has no such rule. */
export function restartAllFindings(
  pod: Pod,
  runtimePod: RuntimePod,
  { status, phase }: { readonly status: PodStatus; readonly phase: string },
): readonly Finding[] {
  if (!couldRestartAll(pod)) return [];
  const type = "AllContainersRestarting" as Finding["type"];
  if (phase === "Succeeded") return [{ type, status: "False", reason: "PodCompleted" }];
  if (phase === "Failed") return [{ type, status: "False", reason: "PodFailed" }];
  if (!isRestartingAll(pod, runtimePod, status) || isCleared(pod, runtimePod))
    return [{ type, status: "False" }];
  return [
    {
      type,
      status: "True",
      reason: "RestartAllContainersStarted",
      message: "container exited with restart policy rule",
    },
  ];
}

/** All containers of a pod in the order of removal: those whose end was the reason are last. */
export function containersToReset({ spec }: Pod, runtimePod: RuntimePod): ContainerStatus[] {
  const split = (list: readonly Container[]) => {
    const all = list.flatMap((container) =>
      runtimePod.containers
        .filter(({ metadata }) => metadata.name === container.name)
        .map((status) => ({
          status,
          isSource: status.state === "exited" && restartsAll(container, status.exitCode),
        })),
    );
    return (isSource: boolean) =>
      all.filter((one) => one.isSource === isSource).map(({ status }) => status);
  };
  const main = split(spec.containers ?? []);
  const init = split(spec.initContainers ?? []);
  return [...main(false), ...init(false), ...main(true), ...init(true)];
}

/** Whether all containers of a pod are removed. */
const isCleared = ({ spec }: Pod, runtimePod: RuntimePod): boolean =>
  containersOf(spec).every(({ name }) => !latestOf(runtimePod, name));

const restartsAll = (container: Container, exitCode: number): boolean =>
  container.restartPolicy !== undefined &&
  matchingRule(container, exitCode)?.action === "RestartAllContainers";

const containersOf = ({ containers, initContainers = [] }: Pod["spec"]): readonly Container[] => [
  ...initContainers,
  ...(containers ?? []),
];
