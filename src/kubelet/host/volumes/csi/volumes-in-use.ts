import {
  type CsiVolumeKey,
  csiKeyText,
  csiUniqueName,
} from "../../../../api/core/v1/volume/csi-volume-key.ts";

/**
 * The volumes that are used on a node, and by whom: pods that are set up or wait for it, and the driver as long as
 * a volume is staged. A volume is detached from the node only when nobody uses it.
 */
export interface VolumesInUse {
  hold(volume: CsiVolumeKey, user: string): void;
  release(volume: CsiVolumeKey, user: string): void;
  /** Releases all volumes of a user. */
  releaseAll(user: string): void;
  /** The names in the status of the node of those volumes that are selected. */
  names(isSelected: (volume: CsiVolumeKey) => boolean): readonly string[];
}

/** The user that a staged volume has. */
export const staged = "staged";

/** Creates it without any volumes; `changed` is called whenever a volume is used for the first or the last time. */
export function createVolumesInUse(changed: () => void): VolumesInUse {
  const volumes = new Map<string, { readonly volume: CsiVolumeKey; readonly users: Set<string> }>();
  const release = (volume: CsiVolumeKey, user: string): void => {
    const found = volumes.get(csiKeyText(volume));
    if (!found?.users.delete(user) || found.users.size > 0) return;
    volumes.delete(csiKeyText(volume));
    changed();
  };
  return {
    hold(volume, user) {
      const found = volumes.get(csiKeyText(volume));
      if (found) {
        found.users.add(user);
        return;
      }
      volumes.set(csiKeyText(volume), { volume, users: new Set([user]) });
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
        .map(csiUniqueName)
        .sort(),
  };
}
