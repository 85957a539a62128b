import { join } from "node:path";
import type { CsiVolumeKey } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { sha256 } from "./csi-volume.ts";

/**
 * The folders of CSI volumes beside those of pods, as upstream has them:
 *
 *     ROOT/plugins/kubernetes.io/csi/DRIVER/SHA256 OF HANDLE/globalmount, beside vol_data.json
 *     ROOT/plugins/kubernetes.io/csi/volumeDevices/PV/data/vol_data.json
 *     ROOT/plugins/kubernetes.io/csi/volumeDevices/staging/PV
 *     ROOT/plugins/kubernetes.io/csi/volumeDevices/publish/PV/UID OF POD
 */
export interface CsiFolders {
  /** The folder of all pods. */
  readonly pods: string;
  /** The folders of all drivers. */
  readonly plugin: string;
  readonly devices: string;
  /** The folder at which a driver mounts a volume for all pods. */
  staging(volume: CsiVolumeKey): string;
  /** The folder that says of which driver a block device is. */
  deviceData(name: string): string;
  deviceStaging(name: string): string;
  /** The devices of all pods. */
  devicePublished(name: string): string;
}

export function csiFolders(root: string): CsiFolders {
  const plugin = join(root, "plugins/kubernetes.io/csi");
  const devices = join(plugin, devicesName);
  return {
    pods: join(root, "pods"),
    plugin,
    devices,
    staging: ({ driver, handle }) => join(plugin, driver, sha256(handle), "globalmount"),
    deviceData: (name) => join(devices, name, "data"),
    deviceStaging: (name) => join(devices, "staging", name),
    devicePublished: (name) => join(devices, "publish", name),
  };
}

/** A folder beside those of drivers, whose names have no capital letters. */
export const devicesName = "volumeDevices";
