import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Timer } from "../base/clock.ts";

/** How long files must be at rest: a certificate and its key are written one after the other. */
const restMs = 200;

/**
 * Calls back when something changed in the directories of these files, once they are at rest. It is
 * the directories that are watched: who replaces a file leaves the old one behind.
 */
export function watchFiles(
  paths: readonly string[],
  { clock, onChange }: { readonly clock: Clock; readonly onChange: () => void },
): { close(): void } {
  let timer: Timer | undefined;
  const changed = (): void => {
    timer?.cancel();
    timer = clock.setTimer(restMs, onChange);
  };
  const watchers: FSWatcher[] = [...new Set(paths.map(dirname))].map((dir) =>
    // A directory that goes away tells nothing more: what was read last stays.
    watch(dir, { persistent: false }, changed).on("error", () => {}),
  );
  return {
    close() {
      timer?.cancel();
      for (const watcher of watchers) watcher.close();
    },
  };
}
