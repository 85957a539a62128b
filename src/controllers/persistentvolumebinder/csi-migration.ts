import {
  betaStorageProvisioner,
  migratedTo,
  provisionedBy,
  storageProvisioner,
} from "../../api/core/v1/volume/binding-annotations.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";

/** The CSI drivers that took over from plugins of Kubernetes itself. */
const drivers: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
};

/** The CSI driver that took over from a plugin. */
export const migratedDriver = (plugin: string): string | undefined =>
  Object.hasOwn(drivers, plugin) ? drivers[plugin] : undefined;

/** The annotations of a claim or volume with the driver that is responsible for it; undefined if they have it. */
export function migratedAnnotations(
  { annotations = {} }: ObjectMeta,
  isClaim: boolean,
): Readonly<Record<string, string>> | undefined {
  const provisioner = isClaim
    ? (annotations[storageProvisioner] ?? annotations[betaStorageProvisioner])
    : annotations[provisionedBy];
  if (provisioner === undefined) return undefined;
  const driver = migratedDriver(provisioner);
  if ((annotations[migratedTo] ?? "") === (driver ?? "")) return undefined;
  const { [migratedTo]: _, ...others } = annotations;
  return driver === undefined ? others : { ...others, [migratedTo]: driver };
}
