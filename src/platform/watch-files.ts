import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Timer } from "../base/clock.ts";

/** How long files must stay unchanged: a certificate and its key are written one after the other. */
const restMs = 200;

/**
 * Calls back when something changed in the directories of these files, after a quiet period. It watches
 * the directories: a watch on a file would follow the old inode after the file is replaced.
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
    // A deleted directory sends no more events: the last content stays in use.
    watch(dir, { persistent: false }, changed).on("error", () => {}),
  );
  return {
    close() {
      timer?.cancel();
      for (const watcher of watchers) watcher.close();
    },
  };
}
