import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { type DisruptionReason, disruptionTarget } from "../disruption-target.ts";

export interface CollectOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Deletes a pod without grace period, after marking it as failed, because no kubelet will do so. */
export async function collectPod(
  { client, clock, signal }: CollectOptions,
  pod: Pod,
  reason?: DisruptionReason,
): Promise<void> {
  const { uid, generation } = pod.metadata;
  const { phase } = pod.status;
  try {
    if (phase !== "Succeeded" && phase !== "Failed") {
      const condition = reason && disruptionTarget(pod, reason, clock);
      const status = {
        phase: "Failed" as const,
        ...(generation && { observedGeneration: generation }),
        ...(condition && { conditions: [condition] }),
      };
      const strategic = { metadata: { uid }, status };
      await client.patch(Pod, keyOf(pod), { strategic }, { subresource: "status", signal });
    }
    await client.delete(Pod, keyOf(pod), {
      gracePeriodSeconds: 0,
      preconditions: { uid },
      signal,
    });
  } catch (error) {
    // The pod is gone, or another one has its name.
    if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
  }
}
