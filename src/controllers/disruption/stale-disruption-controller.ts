import { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { podCondition, withPodCondition } from "../../api/core/v1/pod/pod-status.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { objectsWhere } from "../../controller-runtime/reconcile/predicates.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";

/** How long a pod may have the condition without being deleted. */
const staleAfterMs = 2 * 60_000;

/** Removes the DisruptionTarget condition from pods that were not deleted after all. */
export const staleDisruptionController = controller({
  name: "stale-pod-disruption",
  for: Pod,
  predicates: [objectsWhere((pod) => disruptedSince(pod) !== undefined)],

  async reconcile(key, { cache, client, clock, signal }) {
    const pod = await cache.get(Pod, key);
    const since = pod && disruptedSince(pod);
    if (!pod || since === undefined) return;
    const left = since + staleAfterMs - clock.now();
    if (left > 0) return { requeueAfterMs: left };
    const { generation } = pod.metadata;
    const taken = {
      type: "DisruptionTarget",
      status: "False" as const,
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    const now = formatTime(timeFromMillis(clock.now()));
    const status = { ...pod.status, conditions: withPodCondition(pod.status, taken, now) };
    await client.update(Pod, { ...pod, status }, { subresource: "status", signal });
    return;
  },
});

/**
 * Since when a pod is a disruption target, in milliseconds since the epoch; undefined if it is not, or if
 * it is being deleted, has terminated, or is being terminated by its kubelet.
 */
function disruptedSince({ metadata, status }: Pod): number | undefined {
  const condition = podCondition(status, "DisruptionTarget");
  const hasEnded = status.phase === "Succeeded" || status.phase === "Failed";
  if (condition?.status !== "True" || metadata.deletionTimestamp || hasEnded) return undefined;
  if (condition.reason === "TerminationByKubelet") return undefined;
  return timeOf(condition.lastTransitionTime ?? undefined) ?? 0;
}
