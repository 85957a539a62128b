import { ControllerRevision } from "../../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { StatefulSetStatus } from "../../api/apps/v1/stateful-set-spec.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { nextAvailableMs } from "../../api/core/v1/pod/pod-state.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { claimObjects } from "../claim-objects.ts";
import { possibleOwners } from "../possible-owners.ts";
import { unavailabilityMetrics } from "./max-unavailable.ts";
import { isMember, parentAndOrdinal } from "./ordinals.ts";
import {
  atRevision,
  type StatefulSetRevisions,
  syncRevisions,
  truncateRevisions,
} from "./stateful-set-revisions.ts";
import { isStatusStale, statefulSetStatus } from "./stateful-set-status.ts";
import { type ReplicaSteps, stepReplicas } from "./step-replicas.ts";

/** The stateful sets that may adopt an orphan. */
const adopters = possibleOwners(StatefulSet, ({ spec }) => labelSelector(spec.selector));

export interface StatefulSetControllerOptions {
  /** The feature MaxUnavailableStatefulSet: updates replace as many pods at a time as a stateful set says. */
  readonly heedsMaxUnavailable: boolean;
}

/** Keeps the replicas of stateful sets, each under its own name. */
export const statefulSetController = ({ heedsMaxUnavailable }: StatefulSetControllerOptions) =>
  controller({
    name: "statefulset-controller",
    for: StatefulSet,
    owns: [Pod, ControllerRevision],
    watches: [
      { kind: Pod, map: adopters },
      { kind: ControllerRevision, map: adopters },
      {
        kind: PersistentVolumeClaim,
        predicates: [({ type }) => type === "deleted"],
        // A replica waits until the claims of its predecessor are gone.
        map: ({ metadata }: PersistentVolumeClaim) =>
          (metadata.ownerReferences ?? [])
            .filter(({ kind }) => kind === "Pod")
            .flatMap(({ name }) => {
              const { namespace } = metadata;
              const parent = parentAndOrdinal({ metadata: { name } })?.parent;
              return parent ? [{ namespace, name: parent }] : [];
            }),
      },
    ],

    async reconcile(key, ctx) {
      const set = await ctx.cache.get(StatefulSet, key);
      if (!set) {
        if (heedsMaxUnavailable) unavailabilityMetrics(ctx.metrics).gone(key);
        return undefined;
      }
      const revisions = await syncRevisions(ctx, set);
      const pods = await claimPods(ctx, set);
      const now = ctx.clock.now();
      const { steps, fault } = await step(ctx, { set, revisions, pods, now, heedsMaxUnavailable });
      if (heedsMaxUnavailable) unavailabilityMetrics(ctx.metrics).allowed(set);
      const status = await writeStatus(ctx, set, {
        ...statefulSetStatus(set, {
          pods: steps.pods,
          currentRevision: nameOf(revisions.current),
          updateRevision: nameOf(revisions.update),
          collisionCount: revisions.collisionCount,
          replaced: steps.replaced,
          now,
        }),
      });
      await truncateRevisions(ctx, set, { revisions, pods });
      if (fault) throw fault.error;
      const { minReadySeconds = 0 } = set.spec;
      if (minReadySeconds === 0 || (status.readyReplicas ?? 0) === status.availableReplicas)
        return undefined;
      return {
        requeueAfterMs: nextAvailableMs(pods, minReadySeconds, now) ?? minReadySeconds * 1000,
      };
    },
  });

const nameOf = ({ metadata }: ControllerRevision): string => metadata.name ?? "";

/** The pods of a stateful set, after adoption and release: those that it selects, and that have a name of it. */
async function claimPods(ctx: ReconcileContext, set: StatefulSet): Promise<readonly Pod[]> {
  const selector = labelSelector(set.spec.selector);
  const controlled = await ctx.cache.controlledBy(Pod, set);
  const orphans = await ctx.cache.orphans(Pod, set.metadata.namespace);
  const matches = (pod: Pod): boolean =>
    selector.matches(pod.metadata.labels) && isMember(pod, set);
  const claims = { owner: set, ownerKind: StatefulSet, kind: Pod, matches };
  return claimObjects(ctx, claims, [...controlled, ...orphans]);
}

interface Situation extends StatefulSetControllerOptions {
  readonly set: StatefulSet;
  readonly revisions: StatefulSetRevisions;
  readonly pods: readonly Pod[];
  readonly now: number;
}

/** Brings the replicas a step closer; a stateful set that is being deleted changes none. */
async function step(
  ctx: ReconcileContext,
  { set, revisions, pods, now, heedsMaxUnavailable }: Situation,
): Promise<{ readonly steps: ReplicaSteps; readonly fault?: { readonly error: unknown } }> {
  if (set.metadata.deletionTimestamp) return { steps: { pods, replaced: 0 } };
  const { current, update } = revisions;
  const versions = {
    current: atRevision(set, current),
    update: atRevision(set, update),
    currentName: nameOf(current),
    updateName: nameOf(update),
  };
  try {
    return { steps: await stepReplicas(ctx, { set, versions, pods, now, heedsMaxUnavailable }) };
  } catch (error) {
    return { steps: { pods, replaced: 0 }, fault: { error } };
  }
}

/** Writes a status that differs; after a conflict, once more on the latest version. */
async function writeStatus(
  { client, signal }: ReconcileContext,
  set: StatefulSet,
  status: StatefulSetStatus,
): Promise<StatefulSetStatus> {
  if (!isStatusStale(status, set.status)) return status;
  const how = { subresource: "status", signal };
  try {
    await client.update(StatefulSet, { ...set, status }, how);
  } catch (error) {
    if (!StatusError.is(error, "Conflict")) throw error;
    const fresh = await client.get(StatefulSet, keyOf(set), { signal });
    if (fresh.metadata.uid === set.metadata.uid)
      await client.update(StatefulSet, { ...fresh, status }, how);
  }
  return status;
}
