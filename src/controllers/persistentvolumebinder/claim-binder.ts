import { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  betaStorageProvisioner,
  bindCompleted,
  storageProvisioner,
} from "../../api/core/v1/volume/binding-annotations.ts";
import { classOfClaim, classOfVolume, withClaim } from "../../api/core/v1/volume/match-volume.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { defaultStorageClass } from "../../api/storage/v1/default-storage-class.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { errorMessage } from "../../base/error-message.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { formatKey, keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { byClaim, podsByClaim } from "../pods-by-claim.ts";
import {
  claimsByVolume,
  ofClaim,
  ofVolume,
  unboundOf,
  unclaimedOf,
  volumesByClaim,
} from "./binder-indexes.ts";
import { claimStatus, withVolume } from "./bound-objects.ts";
import { migratedAnnotations } from "./csi-migration.ts";
import { type ClaimDecision, decideClaim } from "./decide-claim.ts";
import { writeVolumePhase } from "./write-volume-phase.ts";

export interface ClaimBinderOptions {
  /** How often claims without a volume are reconciled without a change. */
  readonly resyncMs: number;
  /** Whether volumes are provisioned for claims. */
  readonly provisions: boolean;
}

/**
 * Binds claims to volumes: first it writes the claim into the volume, then the volume into the claim. Each
 * write names the version that the decision was made for, so that a volume is never given to two claims.
 */
export function claimBinder({ resyncMs, provisions }: ClaimBinderOptions): Controller {
  return controller({
    name: "persistentvolume-binder-controller",
    eventSource: "persistentvolume-controller",
    for: PersistentVolumeClaim,
    // Bound claims need no resync: their volumes are watched.
    predicates: [
      (event) => event.type !== "updated" || event.object !== event.old || !isBound(event.object),
    ],
    resyncMs,
    watches: [
      { kind: PersistentVolume, map: claimsForVolume },
      {
        kind: StorageClass,
        predicates: [({ type }) => type !== "deleted"],
        map: async ({ metadata: { name = "" } }, { cache }) => [
          ...(await keysOf(cache, unboundOf(name))),
          // They may get it as their default class.
          ...(await keysOf(cache, unboundOf(""))),
        ],
      },
    ],
    indexes: [volumesByClaim, claimsByVolume, podsByClaim],

    async reconcile(key, ctx) {
      const found = await ctx.cache.get(PersistentVolumeClaim, key);
      if (!found) return;
      const claim = await withMigration(found, ctx);
      await carryOut(await decide(claim, ctx, provisions), claim, ctx);
    },
  });
}

const isBound = ({ metadata }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[bindCompleted] !== undefined;

const keysOf = async (cache: Cache, value: string): Promise<readonly ObjectKey[]> =>
  (await cache.byIndex(PersistentVolumeClaim, claimsByVolume.name, value)).map(keyOf);

/** The claims to which a volume matters: those that name it or that it names, else those that may get it. */
async function claimsForVolume(
  volume: PersistentVolume,
  { cache }: { readonly cache: Cache },
): Promise<readonly ObjectKey[]> {
  const { claimRef } = volume.spec;
  const named = await keysOf(cache, ofVolume(volume.metadata.name ?? ""));
  if (claimRef) return [...named, { namespace: claimRef.namespace, name: claimRef.name ?? "" }];
  if (volume.status.phase !== "Available") return named;
  return [...named, ...(await keysOf(cache, unboundOf(classOfVolume(volume))))];
}

async function decide(
  claim: PersistentVolumeClaim,
  { cache, client, signal }: ReconcileContext,
  provisions: boolean,
): Promise<ClaimDecision> {
  const key = keyOf(claim);
  const { volumeName } = claim.spec;
  if (volumeName || isBound(claim)) {
    let named = volumeName ? await cache.get(PersistentVolume, { name: volumeName }) : undefined;
    // The cache may be older than the claim, and the loss of a volume is reported to users.
    if (volumeName && !named && isBound(claim) && claim.status.phase !== "Lost")
      named = await ignoreNotFound(client.get(PersistentVolume, { name: volumeName }, { signal }));
    return decideClaim(claim, { volumes: [], named });
  }
  const className = classOfClaim(claim);
  const volumes = await cache.byIndex(
    PersistentVolume,
    volumesByClaim.name,
    ofClaim(key),
    unclaimedOf(className),
  );
  const classes = await cache.list(StorageClass);
  const pods = await cache.byIndex(Pod, byClaim, formatKey(key));
  return decideClaim(claim, {
    volumes,
    storageClass: classes.find(({ metadata }) => metadata.name === className),
    defaultClass: defaultStorageClass(classes)?.metadata.name,
    waitingPods: pods.filter(isWaiting).map(({ metadata }) => metadata.name ?? ""),
    provisions,
  });
}

const isWaiting = ({ spec, status, metadata }: Pod): boolean =>
  !spec.nodeName &&
  !metadata.deletionTimestamp &&
  status.phase !== "Succeeded" &&
  status.phase !== "Failed";

async function carryOut(
  decision: ClaimDecision,
  claim: PersistentVolumeClaim,
  ctx: ReconcileContext,
): Promise<void> {
  const { client, events, signal } = ctx;
  switch (decision.type) {
    case "bind":
      return bind(claim, decision.volume, ctx);
    case "wait":
      if (decision.event) events.record(claim, decision.event);
      await writeStatus(claim, claimStatus(claim, "Pending"), ctx);
      return;
    case "lose":
      if (claim.status.phase === "Lost") return;
      await writeStatus(claim, claimStatus(claim, "Lost"), ctx);
      events.record(claim, decision.event);
      return;
    case "set class": {
      const spec = { ...claim.spec, storageClassName: decision.className };
      await client.update(PersistentVolumeClaim, { ...claim, spec }, { signal });
      return;
    }
    case "provision":
      await withProvisioner(claim, decision.provisioner, ctx);
      events.record(claim, decision.event);
      return;
    case "leave":
      if (decision.event) events.record(claim, decision.event);
      return;
    case "fail":
      events.record(claim, decision.event);
      throw new Error(decision.message);
  }
}

/** Writes four times at most: the volume and its status, then the claim and its status. */
async function bind(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  ctx: ReconcileContext,
): Promise<void> {
  const { client, signal } = ctx;
  const claimed = withClaim(volume, claim);
  const written =
    claimed === volume ? volume : await client.update(PersistentVolume, claimed, { signal });
  const bound = await writeVolumePhase(written, { phase: "Bound" }, ctx);
  const named = withVolume(claim, bound);
  const current =
    named === claim ? claim : await client.update(PersistentVolumeClaim, named, { signal });
  await writeStatus(current, claimStatus(current, "Bound", bound), ctx);
}

async function writeStatus(
  claim: PersistentVolumeClaim,
  status: PersistentVolumeClaim["status"],
  { client, signal }: ReconcileContext,
): Promise<void> {
  if (status === claim.status) return;
  const changed = { ...claim, status };
  await client.update(PersistentVolumeClaim, changed, { subresource: "status", signal });
}

async function withMigration(
  claim: PersistentVolumeClaim,
  { client, signal }: ReconcileContext,
): Promise<PersistentVolumeClaim> {
  const annotations = migratedAnnotations(claim.metadata, true);
  if (!annotations) return claim;
  const changed = { ...claim, metadata: { ...claim.metadata, annotations } };
  return client.update(PersistentVolumeClaim, changed, { signal });
}

/** Annotates a claim with its provisioner, which watches for that. */
async function withProvisioner(
  claim: PersistentVolumeClaim,
  provisioner: string,
  { client, events, signal }: ReconcileContext,
): Promise<void> {
  const { metadata } = claim;
  if (metadata.annotations?.[storageProvisioner] === provisioner) return;
  const annotations = {
    ...metadata.annotations,
    [betaStorageProvisioner]: provisioner,
    [storageProvisioner]: provisioner,
  };
  const changed = { ...claim, metadata: { ...metadata, annotations } };
  try {
    await client.update(PersistentVolumeClaim, changed, { signal });
  } catch (error) {
    const note = `Error saving claim: ${errorMessage(error)}`;
    events.record(claim, { type: "Warning", reason: "ProvisioningFailed", note });
    throw error;
  }
}
