import { Pod } from "../api/core/v1/pod/pod.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import { conflictBackoff, retryOnError } from "../controller-runtime/objects/retry-on-conflict.ts";
import { formatTime, timeFromMillis } from "../schema/values/time.ts";

type Condition = NonNullable<Pod["status"]["conditions"]>[number];

/** A change of a pod's status. */
export interface PodStatusChange {
  readonly condition?: Omit<Condition, "lastTransitionTime" | "lastProbeTime"> | undefined;
  /** The node to nominate; `""` clears the nomination. */
  readonly nominatedNode?: string | undefined;
}

export interface PodStatusWriter {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
}

/** Patches the status of a pod, unless it already has these values. */
export async function patchPodStatus(
  pod: Pod,
  change: PodStatusChange,
  { client, clock, random, signal }: PodStatusWriter,
): Promise<void> {
  const status = statusPatch(pod, change, clock.now());
  if (!status) return;
  const { uid, name = "", namespace } = pod.metadata;
  const key = { name, namespace };
  const patch = { strategic: { metadata: { uid }, status } };
  await retryOnError(
    () => client.patch(Pod, key, patch as never, { subresource: "status", signal }),
    { clock, random, backoff: conflictBackoff, signal, isRetriable },
  );
}

/** Returns the patch; undefined if nothing changes. */
function statusPatch(
  { metadata, status }: Pod,
  { condition, nominatedNode }: PodStatusChange,
  now: number,
): object | undefined {
  const patch: Record<string, unknown> = {};
  const changed = condition && changedCondition(status.conditions, condition, now);
  // A strategic merge patch merges conditions by type: others stay.
  if (changed)
    patch.conditions = [{ ...changed, observedGeneration: metadata.generation ?? undefined }];
  if (nominatedNode !== undefined && nominatedNode !== (status.nominatedNodeName ?? ""))
    patch.nominatedNodeName = nominatedNode === "" ? null : nominatedNode;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function changedCondition(
  conditions: readonly Condition[] = [],
  condition: NonNullable<PodStatusChange["condition"]>,
  now: number,
): object | undefined {
  const old = conditions.find(({ type }) => type === condition.type);
  const time = formatTime(timeFromMillis(now));
  if (!old) return { ...condition, lastProbeTime: null, lastTransitionTime: time };
  const isSame =
    old.status === condition.status &&
    (old.reason ?? "") === (condition.reason ?? "") &&
    (old.message ?? "") === (condition.message ?? "");
  if (isSame) return undefined;
  const lastTransitionTime =
    old.status === condition.status ? (old.lastTransitionTime ?? time) : time;
  return { ...condition, lastProbeTime: null, lastTransitionTime };
}

/** Whether a retry may succeed. */
/** Whether a write of the scheduler is worth another attempt. */
export const isRetriable = (error: unknown): boolean =>
  !(error instanceof StatusError)
    ? (error as Error).name === "TransportError"
    : retriableReasons.some((reason) => StatusError.is(error, reason));

const retriableReasons = ["InternalError", "ServiceUnavailable", "Conflict"] as const;
