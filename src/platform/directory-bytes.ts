import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** How many bytes the files of a directory take on disk; sparse files take less than their size. */
export function directoryBytes(dir: string): number {
  let bytes = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(dir, entry.name)).blocks * blockBytes;
  return bytes;
}

/** The unit of POSIX's block counts. */
const blockBytes = 512;
