import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessIdentity } from "../../platform/process-identity.ts";

/** Those of the paths that a process does not see as they are on the machine. */
export async function stalePaths(
  paths: readonly string[],
  { pid }: ProcessIdentity,
): Promise<readonly string[]> {
  const states = paths.map(async (path) => {
    const [here, there] = await Promise.all([
      stat(path).catch(() => undefined),
      stat(join(`/proc/${pid}/root`, path)).catch(() => undefined),
    ]);
    // Files of overlays may have other inodes, and folders in use change all the time.
    return here?.ino !== there?.ino && here?.mtimeMs !== there?.mtimeMs;
  });
  const isStale = await Promise.all(states);
  return paths.filter((_, at) => isStale[at]);
}
