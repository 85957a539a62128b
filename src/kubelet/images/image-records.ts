import type { Image } from "../../cri/image-service.ts";
import type { ContainerStatus } from "../../cri/runtime-types.ts";

/** What a kubelet knows of an image. Times are in milliseconds since the epoch. */
export interface ImageRecord {
  readonly image: Image;
  readonly firstSeenAt: number;
  /** 0 if it was never seen in use. */
  readonly lastUsedAt: number;
  readonly isUsed: boolean;
}

/** Records by image ID. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** Updates records with the images and containers of a node; images that are gone are dropped. */
export function updateImageRecords(
  records: ImageRecords,
  found: { readonly images: readonly Image[]; readonly containers: readonly ContainerStatus[] },
  now: number,
): ImageRecords {
  const used = namesInUse(found.containers);
  return new Map(
    found.images.map((image) => {
      const { id, repoDigests, repoTags } = image;
      const old = records.get(id);
      const isUsed = [id, ...repoDigests, ...repoTags].some((name) => used.has(name));
      return [
        id,
        {
          image,
          firstSeenAt: old?.firstSeenAt ?? now,
          lastUsedAt: isUsed ? now : (old?.lastUsedAt ?? 0),
          isUsed,
        },
      ];
    }),
  );
}

/** The images of containers in any state, and those that are mounted as volumes. */
function namesInUse(containers: readonly ContainerStatus[]): ReadonlySet<string> {
  return new Set(
    containers.flatMap(({ image, imageRef, imageId = "", mounts = [] }) => [
      image,
      imageRef,
      imageId,
      ...mounts.map((mount) => mount.image ?? ""),
    ]),
  );
}

/** The records of images that may be removed: the longest unused first, then the oldest. */
export const removableImages = (records: ImageRecords): readonly ImageRecord[] =>
  [...records.values()]
    .filter(({ isUsed, image }) => !isUsed && !image.pinned)
    .sort((a, b) => a.lastUsedAt - b.lastUsedAt || a.firstSeenAt - b.firstSeenAt);
