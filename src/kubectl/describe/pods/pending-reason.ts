import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";

/** One sentence that says why a pod is pending. */
export async function pendingReason(pod: Pod, context: DescribeContext): Promise<string> {
  const reason = pod.spec.nodeName ? waitingReason(pod) : await unscheduledReason(pod, context);
  return `This pod is pending because ${reason.replace(/[.\s]+$/, "")}.`;
}

/** Why no node was chosen. */
async function unscheduledReason(pod: Pod, context: DescribeContext): Promise<string> {
  const { schedulingGates = [] } = pod.spec;
  const gates = schedulingGates.map(({ name }) => name).join(", ");
  if (gates !== "") return `it has scheduling gates that were not removed yet: ${gates}`;
  const scheduled = pod.status.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False") return "the scheduler has not chosen a node for it yet";
  const text = oneLine(scheduled.message || scheduled.reason || "unknown");
  const claims = text.includes("unbound") ? await unboundClaims(pod, context) : [];
  if (claims.length === 0) return `no node can run it: ${text}`;
  return claims.length === 1
    ? `its volume claim ${claims[0]} is not bound yet`
    : `its volume claims are not bound yet: ${claims.join(", ")}`;
}

/** The claims of a pod that have no volume, or do not exist. */
async function unboundClaims(pod: Pod, context: DescribeContext): Promise<readonly string[]> {
  const { name: podName = "", namespace = "" } = pod.metadata;
  const names = (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${podName}-${name}`] : [];
  });
  const unbound: string[] = [];
  for (const name of new Set(names)) {
    const place = { namespace, name };
    const claim = await context.get(describedKinds.persistentVolumeClaim, place).catch(() => null);
    if (claim?.status.phase !== "Bound") unbound.push(name);
  }
  return unbound;
}

/** Why the containers do not run on the node of the pod. */
function waitingReason({ spec, status }: Pod): string {
  const { initContainers, containers } = spec;
  const { initContainerStatuses, containerStatuses } = status;
  const init = statusesOf(initContainers, initContainerStatuses).map(waitingText);
  const main = statusesOf(containers, containerStatuses).map(waitingText);
  const ofInit = init.find((text) => text !== undefined);
  if (ofInit !== undefined) return `the init ${ofInit}`;
  const ofMain = main.find((text) => text !== undefined);
  if (ofMain !== undefined) return `the ${ofMain}`;
  return `node ${spec.nodeName} has not started its containers yet`;
}

/** The statuses in the order of the containers. */
const statusesOf = (
  containers: readonly Container[] | null | undefined,
  statuses: readonly ContainerStatus[] = [],
): readonly ContainerStatus[] =>
  (containers ?? []).flatMap(({ name }) => statuses.find((one) => one.name === name) ?? []);

function waitingText({ name, state, ready, started }: ContainerStatus): string | undefined {
  const { waiting, running, terminated } = state ?? {};
  if (waiting && waiting.reason !== "PodInitializing") {
    const { reason = "", message = "" } = waiting;
    const why = [reason, oneLine(message)].filter((part) => part !== "").join(": ");
    return `container ${name} is waiting${why === "" ? "" : `: ${why}`}`;
  }
  if (running && !ready && !started) return `container ${name} is still running`;
  if (terminated && terminated.exitCode !== 0)
    return `container ${name} ended with exit code ${terminated.exitCode}`;
  return undefined;
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ");
