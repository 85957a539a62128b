import { stat } from "node:fs/promises";
import type { ContainerMount } from "../../cri/linux-types.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { EngineParts } from "../engine-parts.ts";
import { resolveInRoot } from "../snapshots/resolve-in-root.ts";

/** The snapshots that the images in a container's mounts are mounted from, by the mounts' places in the list. */
export function imageSnapshots(
  id: string,
  mounts: readonly ContainerMount[],
): ReadonlyMap<number, string> {
  const places = mounts.flatMap(({ image }, i) => (image ? [i] : []));
  return new Map(places.map((i) => [i, `${id}.${i}`]));
}

/** Replaces mounts of images by read-only mounts of folders, for which it creates snapshots. */
export async function withImageFolders(
  id: string,
  mounts: readonly ContainerMount[],
  { images, snapshots }: Pick<EngineParts, "images" | "snapshots">,
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
      await snapshots.create(snapshot, found.layers);
      const hostPath = await resolveInRoot(await snapshots.mount(snapshot), imageSubPath);
      await stat(hostPath).catch((cause) => {
        throw new RuntimeError(
          "Unknown",
          `failed to stat image volume subpath ${JSON.stringify(imageSubPath)}: no such file or directory`,
          { cause },
        );
      });
      return { ...mount, hostPath, readonly: true };
    }),
  );
}
