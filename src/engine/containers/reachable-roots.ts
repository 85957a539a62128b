import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../../platform/run-child.ts";
import { type MappedUsers, mappedId } from "../snapshots/mapped-users.ts";
import { isMountPoint, removeMountPoint } from "../snapshots/overlay-mount.ts";

/**
 * Root file systems of containers with users of their own. The OCI runtime enters them as the root of the container,
 * who may not enter the folders of the engine: each is mounted once more, where nobody else may enter.
 */
export class ReachableRoots {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a mounted root reachable; resolves with its path. */
  async open(
    id: string,
    { rootfs, users }: { readonly rootfs: string; readonly users: MappedUsers },
  ): Promise<string> {
    const { own, mounted } = this.#paths(id);
    await mkdir(this.#folder, { recursive: true, mode: 0o711 });
    await mkdir(mounted, { recursive: true, mode: 0o710 });
    await chown(own, 0, mappedId(0, users.gidMappings));
    if (!(await isMountPoint(mounted)))
      await mustRun("mount", ["-n", "-i", "-c", "--bind", rootfs, mounted]);
    return mounted;
  }

  /** Ends it; one that was never reachable is not an error. */
  async close(id: string): Promise<void> {
    const { own, mounted } = this.#paths(id);
    await removeMountPoint(mounted);
    await removeMountPoint(own);
  }

  #paths(id: string): { readonly own: string; readonly mounted: string } {
    const own = join(this.#folder, id);
    return { own, mounted: join(own, "rootfs") };
  }
}
