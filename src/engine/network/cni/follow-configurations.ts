import { mkdir } from "node:fs/promises";
import type { Clock, Timer } from "../../../base/clock.ts";
import { watchFolder } from "../../../platform/watch-folder.ts";

/** Calls back some moments after files in the folder of configurations have changed. The folder is made if need be. */
export async function followConfigurations(
  folder: string,
  { clock, changed }: { readonly clock: Clock; readonly changed: () => void },
): Promise<{ close(): void }> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  let soon: Timer | undefined;
  const watcher = watchFolder(folder, () => {
    soon?.cancel();
    soon = clock.setTimer(settleMs, changed);
  });
  return {
    close() {
      soon?.cancel();
      watcher.close();
    },
  };
}

/** Installers write several files, and one may be half written. */
const settleMs = 100;
