import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import { coalesceCalls } from "../../../base/coalesce-calls.ts";
import { repeat } from "../../../base/repeat.ts";
import { watchFolder } from "../../../platform/watch-folder.ts";
import { ManifestFiles, type ManifestFilesOptions } from "./manifest-files.ts";

export interface StaticPodFilesOptions extends ManifestFilesOptions {
  /** How often everything is read again, beside being watched. */
  readonly periodMs: number;
  readonly clock: Clock;
  /** Called with all pods, again and again. */
  readonly onRead: (pods: readonly Pod[]) => void;
}

/** Follows the static pods in a folder or a file, until it is closed. A path that does not exist has no pods. */
export function followStaticPodFiles(options: StaticPodFilesOptions): { close(): void } {
  const { path, periodMs, clock, log, onRead } = options;
  const files = new ManifestFiles(options);
  let watched: Watched | undefined;
  let soon: Timer | undefined;
  let isClosed = false;
  /** Whether the next read counts invalid files as removed ones. */
  let isPeriodic = true;

  const readSoon = (ms: number): void => {
    soon ??= clock.setTimer(ms, () => {
      soon = undefined;
      void read();
    });
  };
  /** Watches the folder, or the one of the file. A folder that was replaced is watched anew. */
  const watch = async (found: Stats): Promise<void> => {
    const folder = found.isDirectory() ? path : dirname(path);
    const { ino } = found.isDirectory() ? found : await stat(folder);
    if (isClosed || watched?.ino === ino) return;
    watched?.close();
    const watcher = watchFolder(folder, (name) => {
      const isOther = name?.startsWith(".") || (folder !== path && name !== basename(path));
      if (name === undefined || !isOther) readSoon(settleMs);
    });
    watched = { ino, close: () => watcher.close() };
  };
  const read = coalesceCalls(async (): Promise<void> => {
    const keepsInvalid = !isPeriodic;
    isPeriodic = false;
    try {
      const found = await statOrNothing(path);
      if (!found) watched = void watched?.close();
      else await watch(found);
      const pods = found ? await files.read(found, keepsInvalid) : [];
      if (isClosed) return;
      if (pods) onRead(pods);
      if (!found) readSoon(absentMs);
    } catch (error) {
      log.error("unable to read the static pods", error, { path });
    }
  });
  const timer = repeat(clock, periodMs, () => {
    isPeriodic = true;
    void read();
  });
  void read();
  return {
    close() {
      isClosed = true;
      timer.cancel();
      soon?.cancel();
      watched?.close();
    },
  };
}

interface Watched {
  readonly ino: number;
  close(): void;
}

/** Programs write a file in several steps. */
const settleMs = 100;
/** How soon a path that does not exist is tried again, as upstream does. */
const absentMs = 1000;

async function statOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
