import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../api/core/v1/pod/pod-qos.ts";
import { isTolerated } from "../../api/core/v1/scheduling/taint-toleration.ts";
import { taintKey } from "../../api/core/v1/scheduling/well-known-taint.ts";
import type { NodePressure } from "../node/node-findings.ts";
import type { Rejection } from "../pod/admit-pod.ts";
import { isCritical } from "../pod/linux/critical-pod.ts";

/** Why a node under pressure rejects a pod; undefined if it accepts the pod. */
export function rejectedByPressure(
  pod: Pod,
  pressures: readonly NodePressure[],
): Rejection | undefined {
  if (pressures.length === 0 || isCritical(pod)) return undefined;
  const isOfMemory = pressures.length === 1 && pressures[0] === "MemoryPressure";
  if (isOfMemory && podQosClass(pod) !== "BestEffort") return undefined;
  if (isOfMemory && isTolerated(memoryTaint, pod.spec.tolerations)) return undefined;
  return { reason: "Evicted", message: `The node had condition: [${pressures.join(" ")}]. ` };
}

const memoryTaint = { key: taintKey.memoryPressure, effect: "NoSchedule" } as const;
