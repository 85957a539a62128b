import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { claimOfVolume, isClaimForPod } from "../../../api/core/v1/pod/pod-claims.ts";
import { classOfClaim } from "../../../api/core/v1/volume/match-volume.ts";
import {
  type MigratedPlugin,
  migratedPluginOf,
  migratedPlugins,
} from "../../../api/core/v1/volume/migrated-plugins.ts";
import type { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { Volume } from "../../../api/core/v1/volume/volume.ts";
import type { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { CacheReader } from "../../../client/informer/informer-options.ts";
import { quote } from "../../../schema/values/quote.ts";
import { migratedHandle } from "./migrated-handle.ts";

/** A volume that takes one of the places that a node has for the volumes of a driver. */
export interface CsiVolume {
  readonly driver: string;
  /** Equal for the same volume. */
  readonly id: string;
  /** Whether it counts only on nodes with a CSINode: their driver took over from a plugin. */
  readonly isMigrated: boolean;
  /** Why its handle is not known; an attempt to count it fails. */
  readonly problem?: string;
}

export interface VolumeCaches {
  readonly claims: CacheReader<PersistentVolumeClaim>;
  readonly volumes: CacheReader<PersistentVolume>;
  readonly classes: CacheReader<StorageClass>;
}

/** A claim that does not exist: the pod is unschedulable until it does. */
export class MissingClaimError extends Error {
  override readonly name = "MissingClaimError";
}

/** Whether a volume can count. */
export const canCount = (volume: Volume): boolean =>
  volume.persistentVolumeClaim !== undefined ||
  volume.ephemeral !== undefined ||
  countedPlugin(volume) !== undefined;

/**
 * Returns the volumes of a pod that count. A missing claim is an error for a new pod, and does not count
 * for one that is on a node.
 */
export function csiVolumesOf(
  pod: Pod,
  caches: VolumeCaches,
  { isNew }: { readonly isNew: boolean },
): readonly CsiVolume[] {
  const found: CsiVolume[] = [];
  const { namespace, name: podName } = pod.metadata;
  for (const volume of pod.spec.volumes ?? []) {
    const reference = claimOfVolume(pod, volume);
    if (!reference) {
      const inline = inlineVolume(volume);
      if (inline) found.push(inline);
      continue;
    }
    const { name, isEphemeral } = reference;
    if (name === "") throw new Error("PersistentVolumeClaim had no name");
    const claim = caches.claims.get({ namespace, name });
    if (!claim && isNew)
      throw new MissingClaimError(
        `looking up PVC ${namespace}/${name}: persistentvolumeclaim ${quote(name)} not found`,
      );
    if (!claim) continue;
    if (isEphemeral && !isClaimForPod(claim, pod))
      throw new Error(
        `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`,
      );
    const counted = volumeOfClaim(claim, caches);
    if (counted) found.push(counted);
  }
  return found;
}

/** The id of a volume that a driver knows by a handle. */
export const volumeId = (driver: string, handle: string): string => `${driver}/${handle}`;

/** The plugins of which volumes count once a driver has taken over; those of file shares do not. */
const countedPlugin = (source: object): MigratedPlugin | undefined => {
  const found = migratedPluginOf(source);
  return found && counts(found.source) ? found : undefined;
};

const counts = (source: string): boolean => source !== "azureFile" && source !== "vsphereVolume";

function inlineVolume(volume: Volume): CsiVolume | undefined {
  const found = countedPlugin(volume);
  if (!found) return undefined;
  const { driver } = found;
  try {
    const handle = migratedHandle(volume) ?? "";
    return { driver, id: volumeId(driver, handle), isMigrated: true };
  } catch (error) {
    const problem = `converting volume(${volume.name}) from inline to csi: ${errorMessage(error)}`;
    return { driver, id: "", isMigrated: true, problem };
  }
}

function volumeOfClaim(
  claim: PersistentVolumeClaim,
  { volumes, classes }: VolumeCaches,
): CsiVolume | undefined {
  const { volumeName } = claim.spec;
  const volume = volumeName ? volumes.get({ name: volumeName }) : undefined;
  if (volume) return boundVolume(volume);
  // A claim without a class is bound before its pod is scheduled.
  const name = classOfClaim(claim);
  const storageClass = name === "" ? undefined : classes.get({ name });
  if (!storageClass) return undefined;
  const { provisioner } = storageClass;
  const plugin = migratedPlugins.find((one) => one.plugin === provisioner);
  if (plugin && !counts(plugin.source)) return undefined;
  const driver = plugin?.driver ?? provisioner;
  if (driver === "") return undefined;
  const { namespace, name: claimName } = claim.metadata;
  // No handle has a NUL, so that the volumes to come differ from those that exist.
  const id = volumeId(driver, `\0${namespace}/${claimName}`);
  return { driver, id, isMigrated: plugin !== undefined };
}

function boundVolume({ spec, metadata }: PersistentVolume): CsiVolume | undefined {
  if (spec.csi) return volumeOfDriver(spec.csi.driver, spec.csi.volumeHandle);
  const plugin = countedPlugin(spec);
  if (!plugin) return undefined;
  try {
    const counted = volumeOfDriver(plugin.driver, migratedHandle(spec, metadata.labels) ?? "");
    return counted && { ...counted, isMigrated: true };
  } catch {
    // A volume whose handle is not known is not counted.
    return undefined;
  }
}

const volumeOfDriver = (driver: string, handle: string): CsiVolume | undefined =>
  driver === "" || handle === ""
    ? undefined
    : { driver, id: volumeId(driver, handle), isMigrated: false };
