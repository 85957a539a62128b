import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { mustRun, runChild } from "../../../platform/run-child.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import { sharedContainer } from "../create/network-mode.ts";
import type { DockerContext } from "../docker-context.ts";
import { conflict } from "../http/docker-error.ts";
import { containerFolder } from "../network/write-etc-files.ts";

/** Mounts the shared memory of a container that others may use; resolves with its folder, if there is one. */
export async function openShm(
  context: DockerContext,
  { id, details }: DockerContainer,
): Promise<string | undefined> {
  const { IpcMode: mode, ShmSize: size } = details.hostConfig;
  const other = sharedContainer(mode);
  if (other !== undefined) {
    const owner = context.registry.find(other);
    if (owner.details.hostConfig.IpcMode !== "shareable")
      throw conflict(
        `container ${owner.id}: non-shareable IPC (hint: use IpcMode:shareable for the donor container)`,
      );
    return shmPath(context, owner.id);
  }
  if (mode !== "shareable") return undefined;
  const path = shmPath(context, id);
  await closeShm(context, id);
  await mkdir(path, { recursive: true, mode: 0o700 });
  const options = `nosuid,noexec,nodev,mode=1777,size=${size}`;
  await mustRun("mount", ["-t", "tmpfs", "-o", options, "shm", path]);
  return path;
}

/** Unmounts the shared memory of a container; most have none of their own. */
export async function closeShm(context: DockerContext, id: string): Promise<void> {
  if (context.registry.get(id)?.details.hostConfig.IpcMode !== "shareable") return;
  await runChild("umount", ["--lazy", shmPath(context, id)]);
}

const shmPath = (context: DockerContext, id: string): string =>
  join(containerFolder(context, id), "shm");
