import { sha256Hex } from "../../../../base/cryptography/sha256.ts";

/** The driver of a volume, and the driver's name of it: they are unique together. */
export interface CsiVolumeKey {
  readonly driver: string;
  readonly handle: string;
}

/** The name of the plugin for CSI volumes. */
export const csiPluginName = "kubernetes.io/csi";

export const csiKeyText = ({ driver, handle }: CsiVolumeKey): string => `${driver}^${handle}`;

/** The name of an attachable volume in the status of its node. */
export const csiUniqueName = (key: CsiVolumeKey): string => `${csiPluginName}/${csiKeyText(key)}`;

/** The volume of such a name; undefined for names of other volumes. */
export function csiKeyOfName(name: string): CsiVolumeKey | undefined {
  const prefix = `${csiPluginName}/`;
  const parts = name.startsWith(prefix) ? name.slice(prefix.length).split("^") : [];
  const [driver, handle] = parts;
  return driver && handle && parts.length === 2 ? { driver, handle } : undefined;
}

/** The name of the object that attaches a volume to a node. */
export const attachmentName = ({ driver, handle }: CsiVolumeKey, nodeName: string): string =>
  `csi-${sha256Hex(`${handle}${driver}${nodeName}`)}`;
