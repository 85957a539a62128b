import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerRestartRule } from "../../../api/core/v1/container/container-restart.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import { latestOf, type RuntimePod } from "../runtime-pod.ts";

/** What of a container decides on its restarts. */
export type Restarting = Pick<Container, "name" | "restartPolicy" | "restartPolicyRules">;

/** Whether an init container goes on to run beside the others. */
export const isSidecar = ({ restartPolicy }: Pick<Container, "restartPolicy">): boolean =>
  restartPolicy === "Always";

/** The rule of a container that holds for an exit code, if any does. */
export function matchingRule(
  { restartPolicyRules = [] }: Restarting,
  exitCode: number,
): ContainerRestartRule | undefined {
  return restartPolicyRules.find(({ exitCodes }) => {
    if (!exitCodes) return false;
    const isListed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === "In" ? isListed : !isListed;
  });
}

/** Whether a container that ended is started again: its own rules come before its pod's. */
export function restartsAfter(
  container: Restarting,
  { restartPolicy: podPolicy }: Pick<PodSpec, "restartPolicy">,
  exitCode: number,
): boolean {
  const { restartPolicy: own } = container;
  if (own !== undefined && matchingRule(container, exitCode)) return true;
  switch (own ?? podPolicy) {
    case "Never":
      return false;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return true;
  }
}

/** Whether a container that a probe has given up is started again. */
export const restartsAfterProbe = (
  { restartPolicy }: Restarting,
  { restartPolicy: podPolicy }: Pick<PodSpec, "restartPolicy">,
): boolean => (restartPolicy ?? podPolicy) !== "Never";

/** Whether a container that does not run has to be started. */
export function needsStart(container: Restarting, pod: Pod, runtimePod: RuntimePod): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  const latest = latestOf(runtimePod, container.name);
  if (!latest) return true;
  if (latest.state === "running") return false;
  if (latest.state !== "exited") return true;
  return restartsAfter(container, pod.spec, latest.exitCode);
}
