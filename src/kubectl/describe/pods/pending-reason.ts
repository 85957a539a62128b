import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
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
  const problem = /persistentvolumeclaim/i.test(text)
    ? await claimProblem(pod, context)
    : undefined;
  return problem ?? `no node can run it: ${text.replace(preemption, "")}`;
}

/** What the scheduler says of other pods that could go, which is seldom the reason. */
const preemption = /\.?( no new claims to deallocate,)? preemption: .*$/;

/** What is wrong with the volume claims of a pod: they do not exist, or have no volume. */
async function claimProblem(pod: Pod, context: DescribeContext): Promise<string | undefined> {
  const { namespace = "" } = pod.metadata;
  const missing: string[] = [];
  const unbound: string[] = [];
  for (const name of new Set(claimNames(pod)))
    try {
      const claim = await context.get(describedKinds.persistentVolumeClaim, { namespace, name });
      if (claim.status.phase !== "Bound") unbound.push(name);
    } catch (error) {
      if (!StatusError.is(error, "NotFound")) return undefined;
      missing.push(name);
    }
  if (missing.length > 0) return claimsText(missing, "does not exist", "do not exist");
  if (unbound.length > 0) return claimsText(unbound, "is not bound yet", "are not bound yet");
  return undefined;
}

const claimsText = (names: readonly string[], one: string, many: string): string =>
  names.length === 1
    ? `its volume claim ${names[0]} ${one}`
    : `its volume claims ${names.join(", ")} ${many}`;

const claimNames = ({ metadata, spec }: Pod): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name}-${name}`] : [];
  });

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
