import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { runChild } from "../../../platform/run-child.ts";
import type { DockerContext } from "../docker-context.ts";
import { removeNamespace } from "../network/network-commands.ts";

/** Removes what a kill has left of containers that were about to exist, or were being removed. */
export async function removeLeftovers(context: DockerContext): Promise<void> {
  const { dataDir, registry, snapshots } = context;
  // A container whose record is damaged is still there: it may even run.
  const damaged = new Set(await snapshots.list());
  const isThere = (id: string): boolean => registry.get(id) !== undefined || damaged.has(id);
  const namespaces = join(dataDir, "netns");
  for (const id of await namesIn(namespaces))
    if (!isThere(id)) await removeNamespace(join(namespaces, id));
  const folders = join(dataDir, "containers");
  for (const id of await namesIn(folders)) {
    if (isThere(id)) continue;
    await runChild("umount", ["--lazy", join(folders, id, "shm")]);
    await rm(join(folders, id), { recursive: true, force: true });
  }
}

/** A folder that does not exist yet is empty. */
const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);
