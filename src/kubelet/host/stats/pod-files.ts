import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { ExpiringMap } from "../../../base/expiring-map.ts";
import type { PodFiles, PodVolumeUsage, StatsHost } from "../../stats/stats-host.ts";
import { fileUsage, folderUsage } from "../machine/file-usage.ts";

export interface PodFilesOptions {
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  /** The folder of the logs of all pods. */
  readonly podLogsDir: string;
  /** What the volumes of a pod take, by their names. */
  readonly volumeUsage: (
    podUid: string,
  ) => Promise<ReadonlyMap<string, Omit<PodVolumeUsage, "at">>>;
  /** How long the usage of volumes is remembered; they are not measured if it is negative. */
  readonly volumePeriodMs: number;
  readonly clock: Clock;
}

/** Measures the files of pods. Volumes may have many files: their usage is remembered for a while. */
export function podFiles(options: PodFilesOptions): StatsHost["podFiles"] {
  const { rootDir, podLogsDir, clock } = options;
  const volumes = rememberedVolumes(options);
  return async ({ name, namespace, uid }): Promise<PodFiles> => {
    const folder = join(podLogsDir, `${namespace}_${name}_${uid}`);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const logs = entries
      .filter((entry) => entry.isDirectory())
      .map(async (entry) => [entry.name, await folderUsage(join(folder, entry.name))] as const);
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(folder, entry.name));
    const others = [join(rootDir, "pods", uid, "etc-hosts"), ...files].map(fileUsage);
    const [found, rest, used] = await Promise.all([
      Promise.all(logs),
      Promise.all(others),
      volumes(uid, clock.now()),
    ]);
    return {
      logs: new Map(found),
      others: {
        bytes: rest.reduce((sum, { bytes }) => sum + bytes, 0),
        inodes: rest.reduce((sum, { inodes }) => sum + inodes, 0),
      },
      volumes: used,
    };
  };
}

type VolumeUsages = ReadonlyMap<string, PodVolumeUsage>;

function rememberedVolumes({ volumeUsage, volumePeriodMs, clock }: PodFilesOptions) {
  const known = new ExpiringMap<string, VolumeUsages>({ clock, capacity: 1000 });
  const nothing: VolumeUsages = new Map();
  return async (uid: string, at: number): Promise<VolumeUsages> => {
    if (volumePeriodMs < 0) return nothing;
    const before = known.get(uid);
    if (before) return before;
    // A volume that is unmounted meanwhile cannot be measured.
    const found = await volumeUsage(uid).catch(() => new Map<string, never>());
    const usages = new Map([...found].map(([name, usage]) => [name, { ...usage, at }] as const));
    known.set(uid, usages, volumePeriodMs);
    return usages;
  };
}
