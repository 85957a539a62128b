import { watch } from "node:fs";

/**
 * Calls back when something in a folder changes, with its name where that is known. Containers of the same user can
 * use up all watches that the kernel grants: then it calls back once a second.
 */
export function watchFolder(
  folder: string,
  changed: (name: string | undefined) => void,
): { close(): void } {
  try {
    const watcher = watch(folder, (_, name) => changed(name ?? undefined));
    // A folder that is removed has no more changes.
    watcher.on("error", () => changed(undefined));
    return watcher;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOSPC", "EMFILE", "ENFILE", "ENOMEM"].includes(code)) throw error;
    const timer = setInterval(() => changed(undefined), pollMs);
    return { close: () => clearInterval(timer) };
  }
}

const pollMs = 1000;
