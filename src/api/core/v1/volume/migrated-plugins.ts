/** A plugin of Kubernetes itself, and the CSI driver that took over its volumes. */
export interface MigratedPlugin {
  /** The field of a volume's source. */
  readonly source: string;
  readonly plugin: string;
  readonly driver: string;
}

/** The plugins of Kubernetes itself whose volumes are left to CSI drivers. */
export const migratedPlugins: readonly MigratedPlugin[] = [
  migrated("awsElasticBlockStore", "aws-ebs", "ebs.csi.aws.com"),
  migrated("azureDisk", "azure-disk", "disk.csi.azure.com"),
  migrated("azureFile", "azure-file", "file.csi.azure.com"),
  migrated("cinder", "cinder", "cinder.csi.openstack.org"),
  migrated("gcePersistentDisk", "gce-pd", "pd.csi.storage.gke.io"),
  migrated("portworxVolume", "portworx-volume", "pxd.portworx.com"),
  migrated("vsphereVolume", "vsphere-volume", "csi.vsphere.vmware.com"),
];

/** The CSI driver that took over from a plugin. */
export const migratedDriver = (name: string): string | undefined =>
  migratedPlugins.find(({ plugin }) => plugin === name)?.driver;

/** The plugin that a volume's source belonged to; undefined if no driver took over. */
export const migratedPluginOf = (source: object): MigratedPlugin | undefined =>
  migratedPlugins.find((one) => (source as Record<string, unknown>)[one.source] !== undefined);

function migrated(source: string, name: string, driver: string): MigratedPlugin {
  return { source, plugin: `kubernetes.io/${name}`, driver };
}
