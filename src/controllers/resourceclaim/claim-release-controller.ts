import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { claimFinalizer } from "../../api/resource/v1/claim-use.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { withoutFinalizer } from "../../controller-runtime/objects/finalizers.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { claimNames, isPodDone } from "./claims-of-pod.ts";
import { type Consumer, releasePlan } from "./release-plan.ts";

/** Releases claims of pods that are done, deallocates unused ones, and deletes those made for such pods. */
export const claimReleaseController = controller({
  name: "resourceclaim-release-controller",
  eventSource: "resource_claim",
  for: ResourceClaim,
  predicates: [({ type }) => type !== "deleted"],
  watches: [
    {
      kind: Pod,
      predicates: [({ type, object }) => type === "deleted" || isPodDone(object)],
      map: (pod: Pod) => {
        const { namespace } = pod.metadata;
        return claimNames(pod).map((name) => ({ namespace, name }));
      },
    },
  ],
  async reconcile(key, ctx) {
    const claim = await ctx.cache.get(ResourceClaim, key);
    if (!claim) return;
    const remaining: Consumer[] = [];
    for (const consumer of claim.status?.reservedFor ?? [])
      if (await mayConsume(claim, consumer, ctx)) remaining.push(consumer);
    const { status, removesFinalizer, isUnused } = releasePlan(claim, remaining);
    const { client, signal } = ctx;
    let current = claim;
    // Updates, not patches: they must fail if the claim has changed.
    if (status)
      current = await client.update(
        ResourceClaim,
        { ...claim, status },
        { subresource: "status", signal },
      );
    if (removesFinalizer)
      await client.update(ResourceClaim, withoutFinalizer(current, claimFinalizer), { signal });
    if (isUnused) await deleteIfMadeForDonePod(claim, ctx);
  },
});

/** Whether a consumer may still use a claim. Consumers that are no pods are kept: nothing is known of them. */
async function mayConsume(
  { metadata: { namespace } }: ResourceClaim,
  { apiGroup = "", resource, name, uid }: Consumer,
  { cache, client, signal }: ReconcileContext,
): Promise<boolean> {
  if (apiGroup !== "" || resource !== "pods") return true;
  const key = { namespace, name };
  const known = await cache.get(Pod, key);
  if (known) return known.metadata.uid === uid && !isPodDone(known);
  // The scheduler may know a pod that the cache does not have yet.
  const found = await client.get(Pod, key, { signal }).catch((error: unknown) => {
    if (StatusError.is(error, "NotFound")) return undefined;
    throw error;
  });
  return found?.metadata.uid === uid;
}

/** Deletes a claim whose pod will not run. The garbage collector would wait until the pod is gone. */
async function deleteIfMadeForDonePod(
  claim: ResourceClaim,
  { cache, client, log, signal }: ReconcileContext,
): Promise<void> {
  const owner = controllerOf(claim);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Pod") return;
  const pod = await cache.get(Pod, { namespace: claim.metadata.namespace, name: owner.name ?? "" });
  // A pod that the cache does not have may be new, or gone: then the garbage collector deletes the claim.
  if (!pod || (pod.metadata.uid === owner.uid && !isPodDone(pod))) return;
  const { uid } = claim.metadata;
  log.debug("deleting an unused claim", { pod: pod.metadata.name });
  await client
    .delete(ResourceClaim, keyOf(claim), { preconditions: { uid }, signal })
    .catch((error: unknown) => {
      if (!StatusError.is(error, "NotFound")) throw error;
    });
}
