import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { byClaim, claimKeysOfPod, podsByClaim } from "../pods-by-claim.ts";
import { protect, protectionStep } from "../protection.ts";
import { keepsClaim, mayRelease } from "./claim-usage.ts";

const finalizer = "kubernetes.io/pvc-protection";

/** Removes the finalizer of claims that are being deleted once no pod uses them. */
export const pvcProtectionController = controller({
  name: "persistentvolumeclaim-protection-controller",
  for: PersistentVolumeClaim,
  predicates: [({ object }) => protectionStep(object, finalizer) !== undefined],
  watches: [
    {
      kind: Pod,
      predicates: [
        (event) =>
          event.type === "deleted" ||
          mayRelease(event.object) ||
          (event.type === "updated" && event.old.metadata.uid !== event.object.metadata.uid) ||
          event.object.metadata.deletionGracePeriodSeconds === 0,
      ],
      map: claimKeysOfPod,
    },
  ],
  indexes: [podsByClaim],
  async reconcile(key, ctx) {
    const claim = await ctx.cache.get(PersistentVolumeClaim, key);
    if (!claim) return;
    const isUsed = (one: PersistentVolumeClaim): Promise<boolean> => isClaimUsed(one, ctx);
    await protect(claim, { kind: PersistentVolumeClaim, finalizer, isUsed }, ctx);
  },
});

/** Whether a pod uses a claim: first as the cache knows, then as the server does, which may be newer. */
async function isClaimUsed(
  claim: PersistentVolumeClaim,
  { cache, client, signal }: ReconcileContext,
): Promise<boolean> {
  const isUser = (pod: Pod): boolean => keepsClaim(pod, claim);
  const known = await cache.byIndex(Pod, byClaim, formatKey(keyOf(claim)));
  if (known.some(isUser)) return true;
  const { namespace } = claim.metadata;
  const { items } = await client.list(Pod, { namespace, signal });
  return items.some(isUser);
}
