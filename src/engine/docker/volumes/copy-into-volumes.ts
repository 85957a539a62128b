import { lstat, readdir, stat } from "node:fs/promises";
import { mustRun } from "../../../platform/run-child.ts";
import { resolveInRoot } from "../../snapshots/resolve-in-root.ts";
import { packFromRoot, unpackIntoRoot } from "../../snapshots/root-archive.ts";
import type { DockerMount } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";

/** Copies what an image has at the paths of new volumes into them, with owners and modes. */
export async function copyIntoVolumes(
  context: Pick<DockerContext, "containers">,
  id: string,
  mounts: readonly DockerMount[],
): Promise<void> {
  const empty: DockerMount[] = [];
  for (const mount of mounts)
    if (mount.type === "volume" && mount.copies && (await readdir(mount.source)).length === 0)
      empty.push(mount);
  if (empty.length === 0) return;
  const root = await context.containers.rootfs(id);
  for (const { destination, source } of empty) {
    const path = await resolveInRoot(root, destination);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isDirectory()) continue;
    // Not by `cp`: another container may have the volume, and make a link there that `cp` would follow.
    const isEmpty = (await readdir(path)).length === 0;
    const archive = isEmpty ? undefined : await packFromRoot(root, `${destination}/.`);
    if (archive) await unpackIntoRoot(source, "/", { archive, keepsFolders: true });
    const { uid, gid, mode } = await stat(path);
    await mustRun("chown", [`${uid}:${gid}`, source]);
    await mustRun("chmod", [(mode & 0o7777).toString(8), source]);
  }
}
