import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { compareQuantities, parseQuantity } from "../../schema/values/quantity.ts";
import { carryOut } from "./expand-volume.ts";
import { planExpansion } from "./plan-expansion.ts";

type Claim = PersistentVolumeClaim;

/** Expands the volumes of claims that request more; the volumes of drivers are left to their own resizers. */
export const volumeExpander = controller({
  name: "persistentvolume-expander-controller",
  eventSource: "volume_expand",
  for: PersistentVolumeClaim,
  concurrency: 10,
  predicates: [
    ({ type, object }) => type !== "deleted" && object.status.phase === "Bound",
    (event) =>
      event.type !== "updated" ||
      hasGrown(requested(event.object), requested(event.old)) ||
      hasGrown(recorded(event.object), recorded(event.old)),
  ],
  async reconcile(key, ctx) {
    const claim = await ctx.cache.get(PersistentVolumeClaim, key);
    if (!claim) return;
    const name = claim.spec.volumeName ?? "";
    const volume = await ctx.cache.get(PersistentVolume, { name });
    if (!volume) throw new Error(`failed to get PV "${name}"`);
    if (volume.spec.claimRef?.uid !== claim.metadata.uid)
      throw new Error("persistent Volume is not bound to PVC being updated");
    await carryOut(planExpansion(claim, volume), { claim, volume }, ctx);
  },
});

const requested = ({ spec }: Claim): string => spec.resources?.requests?.storage ?? "0";
const recorded = ({ status }: Claim): string => status.capacity?.storage ?? "0";
const hasGrown = (now: string, before: string): boolean =>
  now !== before && compareQuantities(parseQuantity(now), parseQuantity(before)) > 0;
