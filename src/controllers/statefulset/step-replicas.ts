import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { slowStart } from "../../controller-runtime/reconcile/slow-start.ts";
import { maxUnavailableOf, unavailabilityMetrics } from "./max-unavailable.ts";
import { isInRange, ordinalOf, startOrdinal } from "./ordinals.ts";
import {
  condemnedToDelete,
  isUnavailable,
  nextToUpdate,
  planReplica,
  podsToUpdate,
  type ReplicaRules,
  unavailableCount,
} from "./plan-replicas.ts";
import { asDeclared, isAsDeclared, type Versions, versionedPod } from "./stateful-pod.ts";
import { createClaims, hasStaleClaims, retainClaims } from "./stateful-set-claims.ts";

/** A stateful set and its pods. */
export interface Replicas {
  readonly set: StatefulSet;
  readonly versions: Versions;
  readonly pods: readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether an update may replace as many pods at a time as the stateful set says. */
  readonly heedsMaxUnavailable?: boolean | undefined;
}

/** What a step led to. */
export interface ReplicaSteps {
  /** The pods that count for the status. */
  readonly pods: readonly Pod[];
  /** How many pods were deleted for the update. */
  readonly replaced: number;
}

/**
 * Creates missing replicas in the order of their ordinals, then deletes those that are not wanted, the highest
 * first, then replaces pods of another revision. With the policy `Parallel` nothing but the update has an order.
 */
export async function stepReplicas(ctx: ReconcileContext, given: Replicas): Promise<ReplicaSteps> {
  const { set, versions, pods, now } = given;
  const {
    replicas: count = 1,
    podManagementPolicy,
    updateStrategy,
    minReadySeconds = 0,
  } = set.spec;
  const isOrdered = podManagementPolicy !== "Parallel";
  const rules: ReplicaRules = { isOrdered, minReadySeconds, now };
  const start = startOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const replicas = Array.from({ length: count }, (_, i) => byOrdinal.get(start + i));
  const condemned = pods
    .filter((pod) => !isInRange(ordinalOf(pod), set))
    .toSorted((a, b) => ordinalOf(b) - ordinalOf(a));
  const done = { pods, replaced: 0 };
  const isBlocked = await inTurn(isOrdered, count, (i) =>
    processReplica(ctx, given, { ordinal: start + i, pod: replicas[i], rules }),
  );
  if (isBlocked) return done;
  await inTurn(isOrdered, condemned.length, async (i) => {
    await retainClaims(ctx, versions.update, condemned[i] as Pod);
    return false;
  });
  const firstUnavailable = [...replicas, ...condemned.toReversed()].find(
    (pod) => !pod || isUnavailable(pod, rules),
  );
  const deleted = condemnedToDelete(condemned, firstUnavailable, rules);
  await inTurn(isOrdered, deleted.length, async (i) => {
    await deleteReplica(ctx, set, deleted[i] as Pod);
    return false;
  });
  if ((isOrdered && condemned.length > 0) || updateStrategy.type === "OnDelete") return done;
  const { partition = 0 } = updateStrategy.rollingUpdate ?? {};
  const update = { partition, revision: versions.updateName };
  if (given.heedsMaxUnavailable)
    unavailabilityMetrics(ctx.metrics).found(set, unavailableCount(replicas, rules));
  const next = given.heedsMaxUnavailable
    ? podsToUpdate(replicas, { ...update, maxUnavailable: maxUnavailableOf(set) }, rules)
    : [nextToUpdate(replicas, update, rules)];
  let replaced = 0;
  for (const pod of next) {
    if (!pod) break;
    await deleteReplica(ctx, set, pod);
    replaced++;
  }
  return { pods, replaced };
}

/** Runs work one after another until one blocks, or in growing batches; resolves with whether one blocked. */
async function inTurn(
  isOrdered: boolean,
  count: number,
  work: (index: number) => Promise<boolean>,
): Promise<boolean> {
  if (isOrdered) {
    for (let i = 0; i < count; i++) if (await work(i)) return true;
    return false;
  }
  const result = await slowStart(count, work);
  if ("error" in result) throw result.error;
  return false;
}

interface Slot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
  readonly rules: ReplicaRules;
}

/** Gives a replica what it needs; resolves with whether later ones have to wait. */
async function processReplica(
  ctx: ReconcileContext,
  { set, versions }: Replicas,
  { ordinal, pod, rules }: Slot,
): Promise<boolean> {
  const { action, isBlocking } = planReplica(pod, rules);
  if (!pod) return createReplica(ctx, { set, versions, ordinal }).then(() => isBlocking);
  if (action === "delete") await deleteReplica(ctx, set, pod);
  if (pod.status.phase === "Pending") await completeClaims(ctx, set, pod);
  if (action === "keep") await keepIdentity(ctx, { set, versions }, pod);
  return isBlocking;
}

async function createReplica(
  ctx: ReconcileContext,
  {
    set,
    versions,
    ordinal,
  }: { readonly set: StatefulSet; readonly versions: Versions; readonly ordinal: number },
): Promise<void> {
  const { client, signal } = ctx;
  const pod = versionedPod(versions, ordinal);
  if (await hasStaleClaims(ctx, set, pod)) return;
  try {
    await createClaims(ctx, set, pod);
    const created = await client.create(Pod, pod, { signal });
    await retainClaims(ctx, set, created);
  } catch (error) {
    if (!StatusError.is(error, "AlreadyExists"))
      record(ctx, { set, verb: "Create", pod: pod.metadata.name, error });
    throw error;
  }
  record(ctx, { set, verb: "Create", pod: pod.metadata.name });
}

/** A pod that waits for its claims gets those that are missing. */
async function completeClaims(ctx: ReconcileContext, set: StatefulSet, pod: Pod): Promise<void> {
  await createClaims(ctx, set, pod);
  await retainClaims(ctx, set, pod);
}

/** Restores the labels, volumes and claims of a replica. */
async function keepIdentity(
  ctx: ReconcileContext,
  { set, versions }: Pick<Replicas, "set" | "versions">,
  pod: Pod,
): Promise<void> {
  const { client, signal } = ctx;
  const { name } = pod.metadata;
  try {
    const isSame = isAsDeclared(pod, set);
    if (!isSame) await createClaims(ctx, set, pod);
    const hasChanged = await retainClaims(ctx, versions.update, pod);
    if (isSame && !hasChanged) return;
    if (!isSame) await client.update(Pod, asDeclared(pod, set), { signal });
  } catch (error) {
    record(ctx, { set, verb: "Update", pod: name, error });
    throw error;
  }
  record(ctx, { set, verb: "Update", pod: name });
}

async function deleteReplica(ctx: ReconcileContext, set: StatefulSet, pod: Pod): Promise<void> {
  const { client, signal } = ctx;
  const { name, uid } = pod.metadata;
  try {
    await client.delete(Pod, keyOf(pod), { preconditions: { uid }, signal });
  } catch (error) {
    // The pod is gone, or another one has its name.
    if (!StatusError.is(error, "NotFound", "Conflict")) {
      record(ctx, { set, verb: "Delete", pod: name, error });
      throw error;
    }
  }
  record(ctx, { set, verb: "Delete", pod: name });
}

interface Deed {
  readonly set: StatefulSet;
  readonly verb: "Create" | "Update" | "Delete";
  readonly pod: string | undefined;
  readonly error?: unknown;
}

function record({ events }: ReconcileContext, { set, verb, pod, error }: Deed): void {
  const what = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
  if (error === undefined) {
    const note = `${what} successful`;
    events.record(set, { type: "Normal", reason: `Successful${verb}`, note });
  } else {
    const note = `${what} failed error: ${errorMessage(error)}`;
    events.record(set, { type: "Warning", reason: `Failed${verb}`, note });
  }
}
