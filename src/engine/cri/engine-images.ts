import type { Clock } from "../../base/clock.ts";
import type { Image, ImageFsInfo, ImageService, PullOptions } from "../../cri/image-service.ts";
import type { EngineParts } from "../engine-parts.ts";
import type { StoredImage } from "../images/stored-image.ts";
import type { SnapshotUsage } from "../snapshots/snapshots.ts";

export interface EngineImagesOptions extends Pick<EngineParts, "images" | "snapshots"> {
  readonly clock: Clock;
}

/** The images of the engine as CRI's image service. */
export class EngineImages implements ImageService {
  readonly #options: EngineImagesOptions;
  readonly #layerUsages = new Map<string, Promise<SnapshotUsage>>();

  constructor(options: EngineImagesOptions) {
    this.#options = options;
  }

  async imageStatus(image: string): Promise<Image | undefined> {
    const found = this.#options.images.store.resolve(image);
    return found && criImage(found);
  }

  async pullImage(image: string, { auth, signal }: PullOptions = {}): Promise<Image> {
    return criImage((await this.#options.images.pull(image, { auth, signal })).image);
  }

  async listImages(image?: string): Promise<readonly Image[]> {
    const { store } = this.#options.images;
    const found = image === undefined ? store.list() : [store.resolve(image) ?? []].flat();
    return found.map(criImage).sort((a, b) => b.sizeBytes - a.sizeBytes);
  }

  /** Removes an image with all its names; containers keep their layers. */
  async removeImage(image: string): Promise<void> {
    const { images } = this.#options;
    const found = images.store.resolve(image);
    if (found) await images.store.removeAll(found.id);
  }

  /** Layers and writable folders are on one file system. */
  async imageFsInfo(): Promise<ImageFsInfo> {
    const { snapshots, clock } = this.#options;
    const layers = await snapshots.listLayers();
    const usages = await Promise.all([
      ...layers.map((layer) => this.#layerUsage(layer)),
      ...(await snapshots.list()).map((id) => snapshots.recentUsage(id)),
    ]);
    for (const layer of this.#layerUsages.keys())
      if (!layers.includes(layer)) this.#layerUsages.delete(layer);
    const usage = {
      at: clock.now(),
      mountpoint: snapshots.folder,
      usedBytes: usages.reduce((sum, { bytes }) => sum + bytes, 0),
      inodesUsed: usages.reduce((sum, { inodes }) => sum + inodes, 0),
    };
    return { images: [usage], containers: [usage] };
  }

  /** A layer never changes: it is measured once. */
  #layerUsage(layer: string): Promise<SnapshotUsage> {
    const known = this.#layerUsages.get(layer);
    if (known !== undefined) return known;
    const measured = this.#options.snapshots.layerUsage(layer);
    this.#layerUsages.set(layer, measured);
    return measured;
  }
}

/** An image in the words of CRI. */
function criImage({ id, tags, digests, sizeBytes, config }: StoredImage): Image {
  const [user = ""] = (config.config?.User ?? "").split(":");
  const isNumber = /^\d+$/.test(user);
  return {
    ...{ id, repoTags: tags, repoDigests: digests, sizeBytes },
    ...(user !== "" && (isNumber ? { uid: Number(user) } : { username: user })),
  };
}
