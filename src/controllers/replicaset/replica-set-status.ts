import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { ReplicaSetStatus } from "../../api/apps/v1/replica-set-spec.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodAvailable, isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import { selectorFromSet } from "../../schema/selectors/label-selector.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";

/** The input of the status of a replica set. */
export interface ReplicaSetFacts {
  /** Its pods that have neither terminated nor are being deleted. */
  readonly active: readonly Pod[];
  /** How many are being deleted. */
  readonly terminating: number;
  /** Why pods could not be created or deleted, if that failed. */
  readonly failure: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status that a replica set should have. */
export function replicaSetStatus(
  replicaSet: Pick<ReplicaSet, "metadata" | "spec" | "status">,
  { active, terminating, failure, now }: ReplicaSetFacts,
): ReplicaSetStatus {
  const { spec, status, metadata } = replicaSet;
  const { minReadySeconds = 0 } = spec;
  const hasTemplateLabels = selectorFromSet(spec.template.metadata.labels).matches;
  const ready = active.filter(isPodReady);
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds, now));
  const labelled = active.filter((pod) => hasTemplateLabels(pod.metadata.labels));
  const conditions = conditionsOf(replicaSet, { active, failure, now });
  return {
    replicas: active.length,
    ...(labelled.length > 0 && { fullyLabeledReplicas: labelled.length }),
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(available.length > 0 && { availableReplicas: available.length }),
    terminatingReplicas: terminating,
    observedGeneration: metadata.generation ?? status.observedGeneration,
    ...(conditions.length > 0 && { conditions }),
  };
}

type Conditions = NonNullable<ReplicaSetStatus["conditions"]>;

/** The condition of a failure keeps its first message until the failure is gone. */
function conditionsOf(
  { spec, status }: Pick<ReplicaSet, "spec" | "status">,
  { active, failure, now }: Omit<ReplicaSetFacts, "terminating">,
): Conditions {
  const { conditions = [] } = status;
  if (failure === undefined) return conditions.filter(({ type }) => type !== "ReplicaFailure");
  if (conditions.some(({ type }) => type === "ReplicaFailure")) return conditions;
  const reason = active.length < (spec.replicas ?? 0) ? "FailedCreate" : "FailedDelete";
  const lastTransitionTime = formatTime(timeFromMillis(now));
  const noted = { type: "ReplicaFailure", status: "True", lastTransitionTime, reason } as const;
  return [...conditions, { ...noted, message: failure }];
}
