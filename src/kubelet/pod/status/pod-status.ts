import type {
  ContainerStatus,
  ResourceStatus,
} from "../../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../../api/core/v1/pod/pod-qos.ts";
import { containerResources, podRequests } from "../../../api/core/v1/pod/pod-requests.ts";
import type { PodCondition, PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import { containerStatuses, type StartFailure, timeText } from "../container/container-statuses.ts";
import { isRestartingAll, restartAllFindings } from "../container/restart-all.ts";
import type { PodEnd } from "../pod-end.ts";
import type { ProbeResults } from "../probes/probe-results.ts";
import { probedInitStatuses, probedStatuses } from "../probes/probed-statuses.ts";
import type { PodResources } from "../resize/allocation-store.ts";
import { activeContainers, podAddresses, type RuntimePod, sandboxNeed } from "../runtime-pod.ts";
import { isStaticPod } from "../static-pod.ts";
import { type Finding, isKubeletCondition, podConditions } from "./pod-conditions.ts";
import { podPhase } from "./pod-phase.ts";

export interface PodStatusInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  /** The last written status; if there is none, that of the API. */
  readonly previous: PodStatus;
  readonly probes: ProbeResults;
  readonly failureOf: (container: string) => StartFailure | undefined;
  /** The health of devices; absent where there are none. */
  readonly resourceStatuses?: ((container: string) => readonly ResourceStatus[]) | undefined;
  /** Whether no container of it is started any more. */
  readonly isTerminal: boolean;
  /** Why the kubelet ended the pod, if it did. */
  readonly end?: PodEnd | undefined;
  /** The resources in force; absent if the runtime knows them all. */
  readonly actuated?: PodResources | undefined;
  /** The state of a resize. */
  readonly resize?: readonly Finding[] | undefined;
  readonly hostIPs: readonly string[];
  readonly runtimeName: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

function withDevices(
  status: ContainerStatus,
  { resourceStatuses }: PodStatusInput,
): ContainerStatus {
  const devices = resourceStatuses?.(status.name) ?? [];
  return devices.length > 0 ? { ...status, allocatedResourcesStatus: [...devices] } : status;
}

/** The status of a pod. */
export function podStatus(input: PodStatusInput): PodStatus {
  const { pod, runtimePod, previous, probes, isTerminal, end, hostIPs, now } = input;
  const { spec } = pod;
  const isRestarting = isRestartingAll(pod, runtimePod, previous);
  const common = { ...input, areInit: false, isRestarting };
  const main = containerStatuses({
    ...common,
    containers: spec.containers ?? [],
    previous: previous.containerStatuses ?? [],
  });
  const init = containerStatuses({
    ...common,
    areInit: true,
    containers: spec.initContainers ?? [],
    previous: previous.initContainerStatuses ?? [],
  });
  const ephemeral = containerStatuses({
    ...common,
    containers: spec.ephemeralContainers ?? [],
    previous: previous.ephemeralContainerStatuses ?? [],
  });
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  const isInitialized = activeContainers(runtimePod).some(({ metadata }) =>
    names.has(metadata.name),
  );
  // Sidecars count only after they have started, which probes decide.
  const initStatuses = probedInitStatuses(init, pod, probes);
  const statuses = probedStatuses(main, probes).map((one) => withDevices(one, input));
  const found = podPhase({
    spec,
    statuses: [...statuses, ...initStatuses],
    // As upstream, a static pod that was ended keeps its phase: its name may run again.
    isTerminal: isTerminal && !isStaticPod(pod),
    isInitialized,
  });
  const phase = lastingPhase(found, previous, pod.status);
  const ofEnd = endConditions(input);
  const others = conditionsOfOthers(pod, ofEnd);
  const findings = podConditions({
    pod,
    phase: end ? "Failed" : phase,
    statuses: [...initStatuses, ...statuses],
    hasSandbox: !sandboxNeed(runtimePod).isNeeded,
    others,
  });
  const addresses = addressesOf(input);
  const words = end ?? wordsOf(phase, previous, pod.status);
  return {
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    phase: end ? "Failed" : phase,
    conditions: [
      ...others,
      ...[
        ...(input.resize ?? []),
        ...findings,
        ...restartAllFindings(pod, runtimePod, { status: previous, phase: end ? "Failed" : phase }),
        ...ofEnd,
      ].map((one) => withTimes(one, previous, now)),
    ],
    ...(words.message !== undefined && { message: words.message }),
    ...(words.reason !== undefined && { reason: words.reason }),
    hostIP: hostIPs[0],
    hostIPs: hostIPs.map((ip) => ({ ip })),
    ...(addresses.length > 0 && {
      podIP: addresses[0],
      podIPs: addresses.map((ip) => ({ ip })),
    }),
    startTime: previous.startTime ?? timeText(now),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
    qosClass: podQosClass(pod),
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
    ...podResources(spec),
  } as PodStatus;
}

/** A pod that the kubelet ended has the condition for it once its containers have ended. */
const endConditions = ({ isTerminal, end }: PodStatusInput): readonly Finding[] =>
  isTerminal && end?.condition ? [end.condition] : [];

const conditionsOfOthers = ({ status }: Pod, own: readonly Finding[]): readonly PodCondition[] =>
  (status.conditions ?? []).filter(
    ({ type }) => !isKubeletCondition(type) && !own.some((one) => one.type === type),
  );

/** The resources that the node has allocated to a pod as a whole. */
function podResources(spec: Pod["spec"]) {
  const requests = podRequests(spec);
  const limits = { ...containerResources(spec, "limits"), ...spec.resources?.limits };
  const isAny = (list: object): boolean => Object.keys(list).length > 0;
  return {
    ...(isAny(requests) && { allocatedResources: requests }),
    resources: { ...(isAny(limits) && { limits }), ...(isAny(requests) && { requests }) },
  };
}

/** The phase of an ended pod does not change. */
function lastingPhase(
  found: ReturnType<typeof podPhase>,
  ...known: readonly PodStatus[]
): ReturnType<typeof podPhase> {
  if (isTerminalPhase(found)) return found;
  for (const { phase } of known)
    if (isTerminalPhase(phase)) return phase as ReturnType<typeof podPhase>;
  return found;
}

/** Whether a pod of this phase has ended. */
export const isTerminalPhase = (phase: string | undefined): boolean =>
  phase === "Succeeded" || phase === "Failed";

/** Reason and message are kept as long as the phase is the same. */
function wordsOf(phase: string, previous: PodStatus, stored: PodStatus) {
  if (phase !== previous.phase) return { reason: undefined, message: undefined };
  return {
    reason: previous.reason || stored.reason || undefined,
    message: previous.message || stored.message || undefined,
  };
}

/** The addresses of a pod: the node's on its network; after the sandbox has ended, the previous ones. */
function addressesOf({
  pod: { spec, status },
  runtimePod,
  previous,
  isTerminal,
  hostIPs,
}: PodStatusInput): readonly string[] {
  if (spec.hostNetwork) return status.podIPs?.length ? status.podIPs.map(({ ip }) => ip) : hostIPs;
  const { sandboxes } = runtimePod;
  const hasEnded = isTerminal || sandboxes.length > 0;
  if (!hasEnded || sandboxes.some(({ state }) => state === "ready"))
    return podAddresses(runtimePod, hostIPs);
  return (previous.podIPs ?? []).map(({ ip }) => ip);
}

/** A condition with the time of its last transition. */
function withTimes(found: Finding, { conditions }: PodStatus, now: number): PodCondition {
  const old = conditions?.find(({ type }) => type === found.type);
  const lastTransitionTime =
    old?.status === found.status && old.lastTransitionTime ? old.lastTransitionTime : timeText(now);
  // An absent time is null on the wire.
  return { ...found, lastProbeTime: null, lastTransitionTime } as unknown as PodCondition;
}
