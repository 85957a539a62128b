import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { migratedPluginOf } from "../../../api/core/v1/volume/migrated-plugins.ts";
import { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { notFound } from "../../../api/meta/v1/status-error.ts";
import { CSIDriver } from "../../../api/storage/v1/csi-driver.ts";
import { aggregateMessage } from "../../../base/aggregate-message.ts";
import type { Reader } from "../../objects/reader.ts";

/** Whether volumes of a pod name an audience of tokens, and what kept them from being looked at. */
export interface AudienceUse {
  readonly isUsed: boolean;
  readonly problem?: string;
}

/** Looks for an audience in projected volumes of a pod, and in the CSI drivers of its volumes. */
export async function audienceUse(
  reader: Reader,
  pod: Pod,
  audience: string,
): Promise<AudienceUse> {
  const problems: string[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const sources = volume.projected?.sources ?? [];
    if (
      sources.some(({ serviceAccountToken: token }) => token && (token.audience ?? "") === audience)
    )
      return { isUsed: true };
    const found = await driverOf(reader, pod, volume);
    if (found.driver !== undefined) {
      const driver = await reader.getCachedFirst(CSIDriver, { name: found.driver });
      if (driver?.spec.tokenRequests?.some((request) => request.audience === audience))
        return { isUsed: true };
      if (!driver) problems.push(missing("csidriver", found.driver, "storage.k8s.io"));
    }
    if (found.problem !== undefined) problems.push(found.problem);
  }
  if (problems.length === 0) return { isUsed: false };
  return { isUsed: false, problem: aggregateMessage(problems) };
}

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

interface Driver {
  readonly driver?: string | undefined;
  readonly problem?: string;
}

/** The CSI driver of a volume, if it has one. */
async function driverOf(reader: Reader, { metadata }: Pod, volume: Volume): Promise<Driver> {
  const { namespace = "" } = metadata;
  if (volume.ephemeral?.volumeClaimTemplate)
    return claimedDriver(reader, namespace, `${metadata.name}-${volume.name}`);
  if (volume.persistentVolumeClaim)
    return claimedDriver(reader, namespace, volume.persistentVolumeClaim.claimName);
  return { driver: volume.csi?.driver ?? migratedPluginOf(volume)?.driver };
}

async function claimedDriver(reader: Reader, namespace: string, name: string): Promise<Driver> {
  const claim = await reader.getCachedFirst(PersistentVolumeClaim, { namespace, name });
  if (!claim) return { problem: missing("persistentvolumeclaim", name) };
  const { volumeName = "" } = claim.spec;
  const volume = await reader.getCachedFirst(PersistentVolume, { name: volumeName });
  if (!volume) return { problem: missing("persistentvolume", volumeName) };
  return { driver: volume.spec.csi?.driver ?? migratedPluginOf(volume.spec)?.driver };
}

const missing = (resource: string, name: string, group = ""): string =>
  notFound({ group, resource, name }).message;
