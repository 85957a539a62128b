import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { Volume } from "../../api/core/v1/volume/volume.ts";
import type { CSIDriver } from "../../api/storage/v1/csi-driver.ts";

/** What matters here of a volume. */
export interface VolumeFacts {
  /** Equal for volumes with the same data. */
  readonly id: string;
  /** Whether it can be mounted with a label, so that no files have to be relabelled. */
  readonly takesLabel: boolean;
  readonly driver: string | undefined;
}

type DriverNamed = (name: string) => CSIDriver | undefined;

/** The facts of a persistent volume; undefined for kinds of volumes that labels do not concern. */
export function persistentVolumeFacts(
  { metadata: { name = "" }, spec }: PersistentVolume,
  driverNamed: DriverNamed,
): VolumeFacts | undefined {
  const { csi, iscsi, fc, local } = spec;
  if (csi)
    return {
      id: `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`,
      takesLabel: driverNamed(csi.driver)?.spec.seLinuxMount === true,
      driver: csi.driver,
    };
  if (iscsi) return labelled(`iscsi/${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}`);
  if (fc) return labelled(`fc/${fcId(fc)}`);
  if (local) return unlabelled(`local-volume/${name}`);
  return pathFacts(spec);
}

/** The same for a volume that a pod has without a claim. */
export function podVolumeFacts({ iscsi, fc, ...source }: Volume): VolumeFacts | undefined {
  if (iscsi) return labelled(`iscsi/${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}`);
  if (fc) return labelled(`fc/${fcId(fc)}`);
  return pathFacts(source);
}

function pathFacts({ hostPath, nfs }: Pick<Volume, "hostPath" | "nfs">): VolumeFacts | undefined {
  if (hostPath) return unlabelled(`host-path/${hostPath.path}`);
  return nfs && unlabelled(`nfs/${nfs.server}/${nfs.path}`);
}

function fcId({ targetWWNs = [], lun, wwids = [] }: NonNullable<Volume["fc"]>): string {
  return targetWWNs.length > 0 ? `${targetWWNs.join(":")}:${lun}` : wwids.join(":");
}

const labelled = (id: string): VolumeFacts => ({
  id: `kubernetes.io/${id}`,
  takesLabel: true,
  driver: undefined,
});
const unlabelled = (id: string): VolumeFacts => ({ ...labelled(id), takesLabel: false });
