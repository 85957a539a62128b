import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { EventRecorder } from "../../controller-runtime/events/event-recorder.ts";
import { withCondition } from "../../controller-runtime/objects/conditions.ts";

export interface PodWrites {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Marks pods of a node that does not report as not ready; throws if that fails for a pod. */
export async function markPodsNotReady(
  { client, events, clock, signal }: PodWrites,
  pods: readonly Pod[],
): Promise<void> {
  const faults: unknown[] = [];
  for (const pod of pods) {
    const next = notReady(pod, clock);
    if (!next) continue;
    try {
      await client.update(Pod, next, { subresource: "status", signal });
    } catch (error) {
      if (StatusError.is(error, "NotFound")) continue;
      faults.push(error);
    }
    events.record(next, { type: "Warning", reason: "NodeNotReady", note: "Node is not ready" });
  }
  if (faults.length > 0)
    throw new AggregateError(faults, `${faults.length} pods could not be marked as not ready`);
}

/** The pod with its Ready condition false; undefined if it is false already, or missing. */
function notReady(pod: Pod, clock: Clock): Pod | undefined {
  const { conditions } = pod.status;
  const ready = conditions?.find(({ type }) => type === "Ready");
  if (!ready || ready.status === "False") return undefined;
  const { lastTransitionTime: _, ...rest } = ready;
  const changed = withCondition(conditions, { ...rest, status: "False" as const }, clock);
  return { ...pod, status: { ...pod.status, conditions: changed } };
}
