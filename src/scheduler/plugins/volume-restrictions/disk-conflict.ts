import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Volume } from "../../../api/core/v1/volume/volume.ts";

/** The volumes of a pod that name a disk, which pods of one node may not be able to share. */
export const disksOf = ({ spec }: Pod): readonly Volume[] =>
  spec.volumes?.filter(
    (volume) =>
      volume.gcePersistentDisk ?? volume.awsElasticBlockStore ?? volume.iscsi ?? volume.rbd,
  ) ?? [];

/** Whether a pod uses one of the disks in a way that rules out another pod on its node. */
export const usesDisk = ({ spec }: Pod, disks: readonly Volume[]): boolean =>
  spec.volumes?.some((other) => disks.some((disk) => areInConflict(disk, other))) ?? false;

/** Only pods that all read may share a disk; a disk of EBS is never shared. */
function areInConflict(a: Volume, b: Volume): boolean {
  if (a.awsElasticBlockStore && b.awsElasticBlockStore)
    return a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID;
  if (a.gcePersistentDisk && b.gcePersistentDisk)
    return (
      a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName &&
      isWritten(a.gcePersistentDisk, b.gcePersistentDisk)
    );
  if (a.iscsi && b.iscsi) return a.iscsi.iqn === b.iscsi.iqn && isWritten(a.iscsi, b.iscsi);
  if (!a.rbd || !b.rbd) return false;
  const { monitors, pool, image } = b.rbd;
  return (
    a.rbd.pool === pool &&
    a.rbd.image === image &&
    (a.rbd.monitors ?? []).some((monitor) => monitors?.includes(monitor)) &&
    isWritten(a.rbd, b.rbd)
  );
}

interface Use {
  readonly readOnly?: boolean | undefined;
}

const isWritten = (a: Use, b: Use): boolean => !(a.readOnly && b.readOnly);
