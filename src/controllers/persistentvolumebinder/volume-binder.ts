import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { ofClaim, volumesByClaim } from "./binder-indexes.ts";
import { migratedAnnotations } from "./csi-migration.ts";
import { decideVolume, reclaimFailure, unbound } from "./decide-volume.ts";
import { writeVolumePhase } from "./write-volume-phase.ts";

/** Keeps the phase of volumes, and releases those whose claims are gone. */
export const volumeBinder = controller({
  name: "persistentvolume-binder-controller-volumes",
  eventSource: "persistentvolume-controller",
  for: PersistentVolume,
  watches: [
    {
      kind: PersistentVolumeClaim,
      async map(claim, { cache }) {
        const { volumeName } = claim.spec;
        const naming = await cache.byIndex(
          PersistentVolume,
          volumesByClaim.name,
          ofClaim(keyOf(claim)),
        );
        return [...naming.map(keyOf), ...(volumeName ? [{ name: volumeName }] : [])];
      },
    },
  ],
  indexes: [volumesByClaim],

  async reconcile(key, ctx) {
    const found = await ctx.cache.get(PersistentVolume, key);
    if (!found) return;
    const volume = await withMigration(found, ctx);
    const claim = await claimOf(volume, ctx);
    const decision = decideVolume(volume, claim);
    switch (decision.type) {
      case "set phase":
        await writeVolumePhase(volume, decision, ctx);
        return;
      case "reclaim":
        return reclaim(volume, ctx);
      case "unbind": {
        const free = unbound(volume);
        const written = await ctx.client.update(PersistentVolume, free, { signal: ctx.signal });
        await writeVolumePhase(written, { phase: "Available" }, ctx);
        return;
      }
      case "mismatch":
        ctx.events.record(volume, decision.volumeEvent);
        if (claim) ctx.events.record(claim, decision.claimEvent);
        return;
      case "leave to claim":
    }
  },
});

/** The claim that a volume names, in name and uid; undefined once it is gone. */
async function claimOf(
  { spec: { claimRef }, status }: PersistentVolume,
  { cache, client, signal }: ReconcileContext,
): Promise<PersistentVolumeClaim | undefined> {
  if (!claimRef?.uid) return undefined;
  const key = { namespace: claimRef.namespace, name: claimRef.name ?? "" };
  const isIt = (claim: PersistentVolumeClaim | undefined): boolean =>
    claim?.metadata.uid === claimRef.uid;
  const known = await cache.get(PersistentVolumeClaim, key);
  if (isIt(known) || isReleased(status.phase)) return isIt(known) ? known : undefined;
  // The cache may not have a new claim yet, and a volume must not be released by mistake.
  const current = await ignoreNotFound(client.get(PersistentVolumeClaim, key, { signal }));
  return isIt(current) ? current : undefined;
}

async function reclaim(volume: PersistentVolume, ctx: ReconcileContext): Promise<void> {
  const released = isReleased(volume.status.phase)
    ? volume
    : await writeVolumePhase(volume, { phase: "Released" }, ctx);
  const failure = reclaimFailure(released);
  if (!failure || released.status.phase === "Failed") return;
  await writeVolumePhase(released, { phase: "Failed", message: failure.note }, ctx);
  ctx.events.record(released, failure);
}

/** A failed volume stays failed: people see that something went wrong. */
const isReleased = (phase: string | undefined): boolean =>
  phase === "Released" || phase === "Failed";

async function withMigration(
  volume: PersistentVolume,
  { client, signal }: ReconcileContext,
): Promise<PersistentVolume> {
  const annotations = migratedAnnotations(volume.metadata, false);
  if (!annotations) return volume;
  const changed = { ...volume, metadata: { ...volume.metadata, annotations } };
  return client.update(PersistentVolume, changed, { signal });
}
