import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../../api/core/v1/pod/pod-qos.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import type { Rejection } from "../admit-pod.ts";
import { timeText } from "../container/container-statuses.ts";

/** The status of a pod that the node rejects. */
export function rejectedStatus(pod: Pod, { reason, message }: Rejection, now: number): PodStatus {
  const { generation } = pod.metadata;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase: "Failed",
    message: `Pod was rejected: ${message}`,
    reason,
    startTime: timeText(now),
    qosClass: podQosClass(pod),
  } as PodStatus;
}
