import { mkdir, realpath, stat } from "node:fs/promises";
import type { ContainerMount } from "../../../cri/linux-types.ts";
import { errnoText } from "../../containers/oci/errno-text.ts";

/** Creates folders of the node that are to be mounted and do not exist, and resolves symbolic links to others. */
export async function resolveMountSources(
  mounts: readonly ContainerMount[],
): Promise<readonly ContainerMount[]> {
  return Promise.all(
    mounts.map(async (mount) => ({ ...mount, hostPath: await resolved(mount.hostPath) })),
  );
}

async function resolved(path: string): Promise<string> {
  const quoted = JSON.stringify(path);
  try {
    await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw new Error(`failed to stat ${quoted}: stat ${path}: ${errnoText(error)}`, {
        cause: error,
      });
    }
    await mkdir(path, { recursive: true, mode: 0o755 }).catch((cause: unknown) => {
      throw new Error(`failed to mkdir ${quoted}: mkdir ${path}: ${errnoText(cause)}`, { cause });
    });
  }
  return realpath(path);
}
