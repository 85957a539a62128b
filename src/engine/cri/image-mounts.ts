import { stat } from "node:fs/promises";
import type { ContainerMount } from "../../cri/linux-types.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { EngineParts } from "../engine-parts.ts";
import type { MappedUsers } from "../snapshots/mapped-users.ts";
import { resolveInRoot } from "../snapshots/resolve-in-root.ts";

/** The snapshots that the images in a container's mounts are mounted from, by the mounts' places in the list. */
export function imageSnapshots(
  id: string,
  mounts: readonly ContainerMount[],
): ReadonlyMap<number, string> {
  const places = mounts.flatMap(({ image }, i) => (image ? [i] : []));
  return new Map(places.map((i) => [i, `${id}.${i}`]));
}

interface ImageUsers {
  /** The users of the pod, if they are not the node's. */
  readonly users?: MappedUsers | undefined;
}

/** Replaces mounts of images by read-only mounts of folders, for which it creates snapshots. */
export async function withImageFolders(
  id: string,
  mounts: readonly ContainerMount[],
  { images, snapshots, users }: Pick<EngineParts, "images" | "snapshots"> & ImageUsers,
): Promise<readonly ContainerMount[]> {
  const made = imageSnapshots(id, mounts);
  return Promise.all(
    mounts.map(async (mount, i) => {
      const { image = "", imageSubPath = "" } = mount;
      const snapshot = made.get(i);
      if (snapshot === undefined) return mount;
      const found = images.store.resolve(image);
      if (!found)
        throw new RuntimeError(
          "NotFound",
          `failed to ensure image volume ${JSON.stringify(image)}: image not found`,
        );
      await snapshots.create(snapshot, found.layers, users);
      const hostPath = await resolveInRoot(await snapshots.mount(snapshot, users), imageSubPath);
      await stat(hostPath).catch((cause) => {
        throw new RuntimeError(
          "Unknown",
          `failed to stat image volume subpath ${JSON.stringify(imageSubPath)}: no such file or directory`,
          { cause },
        );
      });
      // An overlay cannot be mapped, but its layers are.
      const { uidMappings: _, gidMappings: __, ...rest } = mount;
      return { ...rest, hostPath, readonly: true };
    }),
  );
}
