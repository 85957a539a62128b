import { type CsiVolumeKey, csiKeyText } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import type { Timer } from "../../../../base/clock.ts";
import type { CsiParts } from "./csi-parts.ts";
import { publishedVolumes, type StagedVolume, stagedVolumes } from "./found-volumes.ts";
import { unstageVolume } from "./unstage-volume.ts";

/** Unstages volumes when no pod uses them any more; what fails is tried again. */
export interface Unstaging {
  /** Unstages a volume unless a pod uses it. Pods do not wait for it. */
  request(volume: CsiVolumeKey): void;
  close(): void;
}

export function createUnstaging(parts: CsiParts): Unstaging {
  const { drivers, clock, log, inTurn, folders } = parts;
  const pending = new Map<string, Pending>();

  const unstage = (volume: CsiVolumeKey): Promise<void> =>
    inTurn(csiKeyText(volume), async () => {
      const isSame = (other: CsiVolumeKey | undefined): boolean =>
        other !== undefined && csiKeyText(other) === csiKeyText(volume);
      if ((await publishedVolumes(folders)).some(isSame)) return;
      const all = (await stagedVolumes(folders)).filter(({ key }) => isSame(key));
      for (const one of all)
        await unstageVolume(one as StagedVolume & { key: CsiVolumeKey }, parts);
    });
  const isPending = (one: Pending): boolean => pending.get(csiKeyText(one.volume)) === one;
  const attempt = async (one: Pending): Promise<void> => {
    const { volume } = one;
    one.timer?.cancel();
    // A driver that registers is called then.
    if (one.isRunning || !drivers.find(volume.driver)) return;
    one.isRunning = true;
    try {
      await unstage(volume);
      if (isPending(one)) pending.delete(csiKeyText(volume));
    } catch (error) {
      if (!isPending(one)) return;
      log.warn("unstaging a volume failed", { ...volume, error });
      one.timer = clock.setTimer(one.waitMs, () => void attempt(one));
      one.waitMs = Math.min(one.waitMs * 2, longestWaitMs);
    }
    one.isRunning = false;
  };
  const unfollow = drivers.onChange((name) => {
    for (const one of pending.values()) if (one.volume.driver === name) void attempt(one);
  });
  return {
    request(volume) {
      const one = { volume, waitMs: firstWaitMs, timer: undefined, isRunning: false };
      pending.get(csiKeyText(volume))?.timer?.cancel();
      pending.set(csiKeyText(volume), one);
      void attempt(one);
    },
    close() {
      unfollow();
      for (const { timer } of pending.values()) timer?.cancel();
      pending.clear();
    },
  };
}

interface Pending {
  readonly volume: CsiVolumeKey;
  timer: Timer | undefined;
  waitMs: number;
  isRunning: boolean;
}

const firstWaitMs = 500;
const longestWaitMs = 122_000;
