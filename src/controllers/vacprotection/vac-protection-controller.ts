import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { VolumeAttributesClass } from "../../api/storage/v1/volume-attributes-class.ts";
import type { ObjectKey } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { protect, protectionStep } from "../protection.ts";
import { classesOfClaim, classesOfVolume } from "./used-classes.ts";

const finalizer = "kubernetes.io/vac-protection";
const byClass = "attributes-class";

/** Removes the finalizer of attributes classes that are being deleted once nothing has them. */
export const vacProtectionController = controller({
  name: "volumeattributesclass-protection-controller",
  for: VolumeAttributesClass,
  predicates: [({ object }) => protectionStep(object, finalizer) !== undefined],
  watches: [
    {
      kind: PersistentVolumeClaim,
      predicates: [({ type }) => type !== "added"],
      map: (claim: PersistentVolumeClaim) => keys(classesOfClaim(claim)),
    },
    {
      kind: PersistentVolume,
      predicates: [({ type }) => type !== "added"],
      map: (volume: PersistentVolume) => keys(classesOfVolume(volume)),
    },
  ],
  indexes: [
    {
      kind: PersistentVolumeClaim,
      name: byClass,
      valuesOf: (claim) => classesOfClaim(claim as PersistentVolumeClaim),
    },
    {
      kind: PersistentVolume,
      name: byClass,
      valuesOf: (volume) => classesOfVolume(volume as PersistentVolume),
    },
  ],
  async reconcile(key, ctx) {
    const found = await ctx.cache.get(VolumeAttributesClass, key);
    const isUsed = (): Promise<boolean> => isClassUsed(key.name, ctx);
    if (found) await protect(found, { kind: VolumeAttributesClass, finalizer, isUsed }, ctx);
  },
});

async function isClassUsed(name: string, { cache }: ReconcileContext): Promise<boolean> {
  if ((await cache.byIndex(PersistentVolume, byClass, name)).length > 0) return true;
  return (await cache.byIndex(PersistentVolumeClaim, byClass, name)).length > 0;
}

const keys = (names: readonly string[]): readonly ObjectKey[] => names.map((name) => ({ name }));
