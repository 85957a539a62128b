import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { ReplicaSetStatus } from "../../api/apps/v1/replica-set-spec.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodActive, isPodTerminating, nextAvailableMs } from "../../api/core/v1/pod/pod-state.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { slowStart } from "../../controller-runtime/reconcile/slow-start.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { claimObjects } from "../claim-objects.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import { podFromTemplate } from "../pod-from-template.ts";
import { deletionOrder } from "./deletion-order.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

/** How many pods a reconcile creates or deletes at most. */
const burst = 500;

/** Creates and deletes the pods of replica sets. */
export const replicaSetController = controller({
  name: "replicaset-controller",
  for: ReplicaSet,
  owns: [Pod],
  watches: [
    {
      kind: Pod,
      // Every replica set whose selector matches an orphan may adopt it.
      async map(pod, { cache }) {
        if (controllerOf(pod)) return [];
        const { namespace, labels } = pod.metadata;
        const all = await cache.list(ReplicaSet, { namespace });
        return all
          .filter(({ spec }) => labelSelector(spec.selector).matches(labels))
          .map((one) => keyOf(one));
      },
    },
  ],

  async reconcile(key, ctx) {
    const replicaSet = await ctx.cache.get(ReplicaSet, key);
    if (!replicaSet) return;
    const { spec, metadata } = replicaSet;
    const selector = labelSelector(spec.selector);
    const matches = ({ metadata: { labels } }: Pod): boolean => selector.matches(labels);
    const controlled = await ctx.cache.controlledBy(Pod, replicaSet);
    const orphans = await ctx.cache.orphans(Pod, metadata.namespace);
    const claims = { owner: replicaSet, ownerKind: ReplicaSet, kind: Pod, matches };
    const active = await claimObjects(ctx, claims, [...controlled, ...orphans].filter(isPodActive));
    const terminating = controlled.filter((pod) => isPodTerminating(pod) && matches(pod));
    const fault = metadata.deletionTimestamp ? undefined : await manage(ctx, replicaSet, active);
    const now = ctx.clock.now();
    const status = replicaSetStatus(replicaSet, {
      active,
      terminating: terminating.length,
      failure: fault && errorMessage(fault.error),
      now,
    });
    await writeStatus(ctx, replicaSet, status);
    if (fault) throw fault.error;
    const { minReadySeconds = 0 } = spec;
    if (minReadySeconds === 0 || (status.readyReplicas ?? 0) === (status.availableReplicas ?? 0))
      return;
    const next = nextAvailableMs(active, minReadySeconds, now) ?? minReadySeconds * 1000;
    return { requeueAfterMs: next };
  },
});

interface Fault {
  readonly error: unknown;
}

/** Creates missing pods or deletes excess ones; resolves with the error if that failed. */
async function manage(
  ctx: ReconcileContext,
  replicaSet: ReplicaSet,
  active: readonly Pod[],
): Promise<Fault | undefined> {
  const excess = active.length - (replicaSet.spec.replicas ?? 0);
  if (excess < 0) return createPods(ctx, replicaSet, Math.min(-excess, burst));
  if (excess === 0) return undefined;
  const order =
    excess < active.length
      ? deletionOrder(active, await relatedPods(ctx, replicaSet), ctx.clock.now())
      : active;
  return deletePods(ctx, replicaSet, order.slice(0, Math.min(excess, burst)));
}

async function createPods(
  { client, events, signal }: ReconcileContext,
  replicaSet: ReplicaSet,
  count: number,
): Promise<Fault | undefined> {
  const pod = podFromTemplate(replicaSet.spec.template, replicaSet);
  const result = await slowStart(count, async () => {
    try {
      const created = await client.create(Pod, pod, { signal });
      const note = `Created pod: ${created.metadata.name}`;
      events.record(replicaSet, { type: "Normal", reason: "SuccessfulCreate", note });
    } catch (error) {
      // Nothing can be created in a namespace that is being deleted, and nothing needs to be.
      if (isNamespaceGoing(error)) return;
      const note = `Error creating: ${errorMessage(error)}`;
      events.record(replicaSet, { type: "Warning", reason: "FailedCreate", note });
      throw error;
    }
  });
  return "error" in result ? { error: result.error } : undefined;
}

async function deletePods(
  { client, events, signal }: ReconcileContext,
  replicaSet: ReplicaSet,
  pods: readonly Pod[],
): Promise<Fault | undefined> {
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      const { name, uid } = pod.metadata;
      try {
        await client.delete(Pod, keyOf(pod), { preconditions: { uid }, signal });
      } catch (error) {
        // The pod is gone, or another one has its name.
        if (StatusError.is(error, "NotFound", "Conflict")) return;
        const note = `Error deleting: ${errorMessage(error)}`;
        events.record(replicaSet, { type: "Warning", reason: "FailedDelete", note });
        throw new Error("unable to delete pods", { cause: error });
      }
      const note = `Deleted pod: ${name}`;
      events.record(replicaSet, { type: "Normal", reason: "SuccessfulDelete", note });
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  return failed && { error: failed.reason };
}

/**
 * The pods that the replica sets of the same controller select, such as those of one deployment; none if
 * the replica set has no controller, as upstream.
 */
async function relatedPods(
  { cache }: ReconcileContext,
  replicaSet: ReplicaSet,
): Promise<readonly Pod[]> {
  const { namespace } = replicaSet.metadata;
  const uid = controllerOf(replicaSet)?.uid;
  if (uid === undefined) return [];
  const all = await cache.list(ReplicaSet, { namespace });
  const siblings = all.filter((one) => controllerOf(one)?.uid === uid);
  const selectors = siblings.map(({ spec }) => labelSelector(spec.selector));
  const pods = await cache.list(Pod, { namespace });
  return pods.filter((pod) => selectors.some(({ matches }) => matches(pod.metadata.labels)));
}

/** Writes a status that differs; after a conflict, once more on the latest version. */
async function writeStatus(
  { client, signal }: ReconcileContext,
  replicaSet: ReplicaSet,
  status: ReplicaSetStatus,
): Promise<void> {
  if (sameJson(status, replicaSet.status)) return;
  const how = { subresource: "status", signal };
  try {
    await client.update(ReplicaSet, { ...replicaSet, status }, how);
  } catch (error) {
    if (!StatusError.is(error, "Conflict")) throw error;
    const fresh = await client.get(ReplicaSet, keyOf(replicaSet), { signal });
    if (fresh.metadata.uid !== replicaSet.metadata.uid) return;
    await client.update(ReplicaSet, { ...fresh, status }, how);
  }
}
