import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerRestartRule } from "../../../api/core/v1/container/container-restart.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import { latestOf, type RuntimePod } from "../runtime-pod.ts";

/** The fields of a container that decide on its restarts. */
export type Restarting = Pick<Container, "name" | "restartPolicy" | "restartPolicyRules">;

/** Whether an init container is a sidecar. */
export const isSidecar = ({ restartPolicy }: Pick<Container, "restartPolicy">): boolean =>
  restartPolicy === "Always";

/** The restart rule of a container that matches an exit code, if any. */
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

/** Whether an ended container is restarted: its own rules override its pod's policy. */
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

/** Whether a container is restarted after a failed probe. */
export const restartsAfterProbe = (
  { restartPolicy }: Restarting,
  { restartPolicy: podPolicy }: Pick<PodSpec, "restartPolicy">,
): boolean => (restartPolicy ?? podPolicy) !== "Never";

/** Whether a container that is not running must be started. */
export function needsStart(container: Restarting, pod: Pod, runtimePod: RuntimePod): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  const latest = latestOf(runtimePod, container.name);
  if (!latest) return true;
  if (latest.state === "running") return false;
  if (latest.state !== "exited") return true;
  return restartsAfter(container, pod.spec, latest.exitCode);
}
