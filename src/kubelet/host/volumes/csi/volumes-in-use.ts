import { keyText, uniqueName, type VolumeKey } from "./csi-volume.ts";

/**
 * The volumes that are used on a node, and by whom: pods that are set up or wait for it, and the driver as long as
 * a volume is staged. A volume is detached from the node only when nobody uses it.
 */
export interface VolumesInUse {
  hold(volume: VolumeKey, user: string): void;
  release(volume: VolumeKey, user: string): void;
  /** Releases all volumes of a user. */
  releaseAll(user: string): void;
  /** The names in the status of the node of those volumes that are selected. */
  names(isSelected: (volume: VolumeKey) => boolean): readonly string[];
}

/** The user that a staged volume has. */
export const staged = "staged";

/** Creates it without any volumes; `changed` is called whenever a volume is used for the first or the last time. */
export function createVolumesInUse(changed: () => void): VolumesInUse {
  const volumes = new Map<string, { readonly volume: VolumeKey; readonly users: Set<string> }>();
  const release = (volume: VolumeKey, user: string): void => {
    const found = volumes.get(keyText(volume));
    if (!found?.users.delete(user) || found.users.size > 0) return;
    volumes.delete(keyText(volume));
    changed();
  };
  return {
    hold(volume, user) {
      const found = volumes.get(keyText(volume));
      if (found) {
        found.users.add(user);
        return;
      }
      volumes.set(keyText(volume), { volume, users: new Set([user]) });
      changed();
    },
    release,
    releaseAll(user) {
      for (const { volume } of [...volumes.values()]) release(volume, user);
    },
    names: (isSelected) =>
      [...volumes.values()]
        .map(({ volume }) => volume)
        .filter(isSelected)
        .map(uniqueName)
        .sort(),
  };
}
