import type { Node } from "../../../api/core/v1/node/node.ts";
import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { CSIDriver } from "../../../api/storage/v1/csi-driver.ts";
import type { CSIStorageCapacity } from "../../../api/storage/v1/csi-storage-capacity.ts";
import type { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import { compareQuantities, parseQuantity } from "../../../schema/values/quantity.ts";

export interface StorageRoom {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly node: Node;
  /** The driver that makes volumes of the class. */
  readonly driver: CSIDriver | undefined;
  readonly capacities: readonly CSIStorageCapacity[];
}

/** Whether a driver that publishes its capacity has room for a claim near a node; true of other drivers. */
export function hasStorageRoom({
  claim,
  storageClass,
  node,
  driver,
  capacities,
}: StorageRoom): boolean {
  const request = claim.spec.resources.requests?.storage;
  if (request === undefined || !driver?.spec.storageCapacity) return true;
  const size = parseQuantity(request);
  return capacities.some((capacity) => {
    const limit = volumeLimit(capacity);
    return (
      capacity.storageClassName === storageClass.metadata.name &&
      limit !== undefined &&
      compareQuantities(parseQuantity(limit), size) >= 0 &&
      capacity.nodeTopology !== undefined &&
      labelSelector(capacity.nodeTopology).matches(node.metadata.labels ?? {})
    );
  });
}

/** The largest volume that a capacity has room for. */
export const volumeLimit = ({
  maximumVolumeSize,
  capacity,
}: CSIStorageCapacity): string | undefined => maximumVolumeSize ?? capacity;
