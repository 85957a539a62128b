import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { protect, protectionStep } from "../protection.ts";

const finalizer = "kubernetes.io/pv-protection";

/** Removes the finalizer of volumes that are being deleted once they are not bound. */
export const pvProtectionController = controller({
  name: "persistentvolume-protection-controller",
  for: PersistentVolume,
  predicates: [({ object }) => protectionStep(object, finalizer) !== undefined],
  async reconcile(key, ctx) {
    const volume = await ctx.cache.get(PersistentVolume, key);
    if (volume) await protect(volume, { kind: PersistentVolume, finalizer, isUsed }, ctx);
  },
});

const isUsed = ({ status }: PersistentVolume): boolean => status?.phase === "Bound";
