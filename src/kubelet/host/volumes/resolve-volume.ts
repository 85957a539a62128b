import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { Volume } from "../../../api/core/v1/volume/volume.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Client } from "../../../client/client.ts";
import type { UsedVolume } from "./used-volumes.ts";
import type { VolumeSpec } from "./volume-plugin.ts";

/** A volume of a pod, or the persistent volume behind its claim; rejects if the claim cannot be used yet. */
export async function resolveVolume(
  { volume, isMounted, isDevice }: UsedVolume,
  pod: Pod,
  client: Client,
): Promise<VolumeSpec> {
  const use = claimOf(volume, pod);
  if (!use) return { name: volume.name, source: volume, readOnly: false, mode: "Filesystem" };
  const key = { namespace: pod.metadata.namespace ?? "", name: use.claimName };
  const { claim, persistentVolume } = await boundVolume(key, client).catch((error: unknown) => {
    throw new Error(`error processing PVC ${key.namespace}/${key.name}: ${errorMessage(error)}`);
  });
  if (volume.ephemeral && !isOwnedBy(claim, pod))
    throw new Error(
      `PVC ${key.namespace}/${key.name} was not created for pod ${key.namespace}/${pod.metadata.name} (pod is not owner)`,
    );
  const mode = persistentVolume.spec.volumeMode ?? "Filesystem";
  const wrong = (field: string): Error =>
    new Error(`volume ${volume.name} has volumeMode ${mode}, but is specified in ${field}`);
  if (isMounted && mode !== "Filesystem") throw wrong("volumeMounts");
  if (isDevice && mode !== "Block") throw wrong("volumeDevices");
  const name = persistentVolume.metadata.name ?? "";
  return {
    name,
    source: {},
    persistentVolume,
    readOnly: use.readOnly,
    mode: isDevice ? "Block" : "Filesystem",
  };
}

/** The claim of a volume; that of an ephemeral one has the names of the pod and the volume. */
function claimOf(
  { name, persistentVolumeClaim, ephemeral }: Volume,
  { metadata }: Pod,
): { readonly claimName: string; readonly readOnly: boolean } | undefined {
  if (persistentVolumeClaim)
    return {
      claimName: persistentVolumeClaim.claimName,
      readOnly: persistentVolumeClaim.readOnly ?? false,
    };
  return ephemeral && { claimName: `${metadata.name}-${name}`, readOnly: false };
}

async function boundVolume(
  key: { readonly namespace: string; readonly name: string },
  client: Client,
): Promise<{ claim: PersistentVolumeClaim; persistentVolume: PersistentVolume }> {
  const claim = await client.get(PersistentVolumeClaim, key).catch((error: unknown) => {
    throw new Error(`failed to fetch PVC from API server: ${errorMessage(error)}`);
  });
  const { metadata, spec, status } = claim;
  if (metadata.deletionTimestamp && !metadata.finalizers?.includes(protection))
    throw new Error("PVC is being deleted");
  if (status.phase !== "Bound") throw new Error("PVC is not bound");
  const name = spec.volumeName ?? "";
  if (name === "") throw new Error("PVC has empty pvc.Spec.VolumeName");
  const persistentVolume = await client.get(PersistentVolume, { name }).catch((error: unknown) => {
    throw new Error(`failed to fetch PV ${name} from API server: ${errorMessage(error)}`);
  });
  const { claimRef } = persistentVolume.spec;
  if (!claimRef)
    throw new Error(
      `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    );
  if (claimRef.uid !== metadata.uid)
    throw new Error(
      `found PV object ${name} but its pv.Spec.ClaimRef.UID ${claimRef.uid} does not point to claim.UID ${metadata.uid}`,
    );
  return { claim, persistentVolume };
}

const isOwnedBy = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(
    ({ uid, controller }) => controller === true && uid === pod.metadata.uid,
  ) ?? false;

const protection = "kubernetes.io/pvc-protection";
