import type { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import type { Volume } from "../../../api/core/v1/volume/volume.ts";

/** The sources that have a handle for the driver that took over from their plugin. */
type Source = Pick<
  Volume,
  "awsElasticBlockStore" | "azureDisk" | "cinder" | "gcePersistentDisk" | "portworxVolume"
>;

/**
 * Returns the handle by which a CSI driver knows a volume of the plugin that it took over from; throws if
 * the source cannot have one, and returns undefined if the labels name no single region.
 */
export function migratedHandle(
  source: Source | PersistentVolume["spec"],
  labels: Readonly<Record<string, string>> = {},
): string | undefined {
  const { awsElasticBlockStore, azureDisk, cinder, gcePersistentDisk, portworxVolume } = source;
  if (awsElasticBlockStore) return ebsHandle(awsElasticBlockStore.volumeID);
  if (azureDisk) {
    const { kind = "Managed", diskURI } = azureDisk;
    if (kind.toLowerCase() !== "managed")
      throw new Error(`kind(${kind}) is not supported in csi migration`);
    return diskURI;
  }
  if (gcePersistentDisk) {
    const place = gcePlace(labels);
    return place && `projects/${unknown}/${place}/disks/${gcePersistentDisk.pdName}`;
  }
  return cinder?.volumeID ?? portworxVolume?.volumeID;
}

/** The handle in `aws://ZONE/HANDLE`, or in a handle alone. */
function ebsHandle(id: string): string {
  if (!id.startsWith("aws://")) return id;
  const handle = id
    .slice("aws://".length)
    .replace(/^[^/?#]*/, "")
    .replace(/[?#].*$/, "")
    .replace(/^\/+|\/+$/g, "");
  if (/^vol-[^/]*$/.test(handle)) return handle;
  throw new Error(
    `failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`,
  );
}

/** Disks with one zone belong to it, others to the region of their zones. */
function gcePlace(labels: Readonly<Record<string, string>>): string | undefined {
  const zone =
    labels["failure-domain.beta.kubernetes.io/zone"] || labels["topology.kubernetes.io/zone"];
  if (!zone?.includes("__")) return `zones/${zone || unknown}`;
  const regions = new Set(zone.split("__").map((one) => /^([^-]+-[^-]+)-[^-]+$/.exec(one)?.[1]));
  const [region] = regions;
  return regions.size === 1 && region ? `regions/${region}` : undefined;
}

const unknown = "UNSPECIFIED";
