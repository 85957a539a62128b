import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { ObjectKey } from "../../client/resource-kind.ts";
import { type DisruptionReason, disruptionTarget } from "../disruption-target.ts";

export interface EvictionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Writes the reason into a pod and deletes it; false if it is gone, or another pod has its name. */
export async function evictPod(
  { client, clock, signal }: EvictionOptions,
  { uid, ...key }: ObjectKey & { readonly uid: string | undefined },
  reason: DisruptionReason = taintReason,
): Promise<boolean> {
  try {
    const pod = await client.get(Pod, key, { signal });
    if (pod.metadata.uid !== uid) return false;
    const condition = disruptionTarget(pod, reason, clock);
    if (condition) {
      const strategic = { metadata: { uid }, status: { conditions: [condition] } };
      await client.patch(Pod, key, { strategic }, { subresource: "status", signal });
    }
    await client.delete(Pod, key, { preconditions: { uid }, signal });
    return true;
  } catch (error) {
    if (StatusError.is(error, "NotFound")) return false;
    throw error;
  }
}

const taintReason = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};
