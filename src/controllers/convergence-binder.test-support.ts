import { PersistentVolume } from "../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { keyOf } from "../client/resource-kind.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import type { ConvergenceCase, ConvergenceWorld } from "./convergence.test-support.ts";
import { bestVolume } from "./persistentvolumebinder/best-volume.ts";
import { persistentVolumeBinderModule } from "./persistentvolumebinder/persistent-volume-binder-module.ts";
import { pvcProtectionModule } from "./pvcprotection/pvc-protection-module.ts";
import { partsOf } from "./running.test-support.ts";

/** Without a resync: every claim must be woken by what it waits for. */
const values = { "pvclaimbinder-sync-period": 1000 * 3_600_000 };

/** Claims and volumes of two classes, in all sizes, some of them reserved for each other. */
export const binderCase: ConvergenceCase = {
  name: "persistentvolumebinder",
  controllers: [
    ...partsOf(persistentVolumeBinderModule, { values }),
    ...partsOf(pvcProtectionModule),
  ] as readonly Controller[],

  async prepare(world) {
    const { client, number, pick, happens } = world;
    let count = 0;
    const create = async (): Promise<void> => {
      count++;
      if (happens(0.5)) await createVolume(world, `v${count}`);
      else await createClaim(world, `c${count}`);
    };
    for (let i = number(3, 12); i > 0; i--) await create();
    return {
      async disturb() {
        if (happens(0.5)) return create();
        const { items } = await client.list(PersistentVolumeClaim, { namespace: "default" });
        if (items.length > 0) await client.delete(PersistentVolumeClaim, keyOf(pick(items)));
      },
      changed: () => undefined,
      async release() {},
      async problems() {
        const { items: volumes } = await client.list(PersistentVolume);
        const { items: claims } = await client.list(PersistentVolumeClaim);
        return [
          ...claims.flatMap((claim) => problemOfClaim(claim, volumes)),
          ...volumes.flatMap((volume) => problemOfVolume(volume, claims)),
        ];
      },
    };
  },
};

async function createVolume(
  { client, number, pick, happens }: ConvergenceWorld,
  name: string,
): Promise<void> {
  const claimRef = { namespace: "default", name: `c${number(1, 15)}` };
  await client.create(PersistentVolume, {
    metadata: { name },
    spec: {
      capacity: { storage: `${number(1, 5)}Gi` },
      accessModes: pick([["ReadWriteOnce"], ["ReadWriteOnce", "ReadWriteMany"]]),
      hostPath: { path: "/x" },
      storageClassName: pick(["m", "other"]),
      ...(happens(0.2) && { claimRef }),
    },
  });
}

async function createClaim(
  { client, number, pick, happens }: ConvergenceWorld,
  name: string,
): Promise<void> {
  await client.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: {
      accessModes: [pick(["ReadWriteOnce", "ReadWriteMany"])],
      resources: { requests: { storage: `${number(1, 5)}Gi` } },
      storageClassName: pick(["m", "other"]),
      ...(happens(0.2) && { volumeName: `v${number(1, 15)}` }),
    },
  });
}

function problemOfClaim(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): readonly string[] {
  const { metadata, spec, status } = claim;
  const own = volumes.filter(({ spec: { claimRef } }) => claimRef?.uid === metadata.uid);
  if (status.phase === "Bound") {
    const [volume] = own;
    const isRight = own.length === 1 && volume?.metadata.name === spec.volumeName;
    return isRight && volume?.status.phase === "Bound" ? [] : [`${metadata.name} is bound wrongly`];
  }
  if (own.length > 0) return [`${metadata.name} holds ${own.length} volumes and is not bound`];
  if (spec.volumeName) return [];
  const free = bestVolume(claim, volumes, false);
  return free ? [`${metadata.name} waits although ${free.metadata.name} fits`] : [];
}

function problemOfVolume(
  { metadata: { name }, spec: { claimRef }, status: { phase } }: PersistentVolume,
  claims: readonly PersistentVolumeClaim[],
): readonly string[] {
  const hasClaim = claims.some(({ metadata }) => metadata.uid === claimRef?.uid);
  const expected = claimRef?.uid ? (hasClaim ? "Bound" : "Released") : "Available";
  return phase === expected ? [] : [`${name} is ${phase}, not ${expected}`];
}
