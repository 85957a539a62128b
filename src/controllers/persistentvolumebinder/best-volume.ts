import { hasAccessModes, matchVolume } from "../../api/core/v1/volume/match-volume.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";

/** The volume for a claim: volumes with fewer access modes go first, then smaller ones. */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isDelayed: boolean,
): PersistentVolume | undefined {
  const sets = new Map<string, PersistentVolume[]>();
  for (const volume of volumes) {
    if (!hasAccessModes(volume, claim)) continue;
    const modes = [...new Set(volume.spec.accessModes)].sort().join();
    const set = sets.get(modes);
    if (set) set.push(volume);
    else sets.set(modes, [volume]);
  }
  const ascending = [...sets].sort(
    ([a], [b]) => a.split(",").length - b.split(",").length || (a < b ? -1 : 1),
  );
  for (const [, set] of ascending) {
    const found = matchVolume(claim, set.sort(byName), { isDelayed });
    if (found) return found;
  }
  return undefined;
}

/** Equal volumes are taken in the order of their names, so that equal states lead to equal bindings. */
const byName = ({ metadata: a }: PersistentVolume, { metadata: b }: PersistentVolume): number =>
  (a.name ?? "") < (b.name ?? "") ? -1 : 1;
