import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { VolumeFile } from "../../pod/pod-host.ts";
import { openInFolder } from "./safe-open.ts";

/** A file in the folder of a volume; what others put there cannot lead outside. */
export const volumeFile = (folder: string, path: string): VolumeFile => ({
  path: join(folder, path),
  async text() {
    const file = await openInFolder(folder, path);
    try {
      // The handle itself cannot be read.
      return await readFile(`/proc/self/fd/${file.fd}`, "utf8");
    } finally {
      await file.close();
    }
  },
});
