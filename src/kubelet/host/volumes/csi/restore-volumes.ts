import type { CsiParts } from "./csi-parts.ts";
import { publishedVolumes, stagedVolumes } from "./found-volumes.ts";
import { removeLeftover } from "./unstage-volume.ts";
import type { Unstaging } from "./unstaging.ts";
import { staged } from "./volumes-in-use.ts";

/** Finds the volumes that were used before a restart; those that no pod uses are unstaged. */
export async function restoreVolumes(
  { folders, inUse }: CsiParts,
  unstaging: Unstaging,
): Promise<void> {
  for (const { podUid, isEphemeral, ...volume } of await publishedVolumes(folders))
    if (!isEphemeral) inUse.hold(volume, podUid);
  for (const one of await stagedVolumes(folders)) {
    if (!one.key) {
      await removeLeftover(one);
      continue;
    }
    inUse.hold(one.key, staged);
    unstaging.request(one.key);
  }
}
