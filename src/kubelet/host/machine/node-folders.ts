import type { ImageService } from "../../../cri/image-service.ts";

/** Folders on the file systems of a node, under the names of signals. */
export interface NodeFolders {
  /** Volumes and logs. */
  readonly nodefs: string;
  readonly imagefs: string;
  /** What containers write. */
  readonly containerfs: string;
}

/** Finds the folders of a node. The runtime is asked once: it may count what is in them each time. */
export function findNodeFolders(
  images: Pick<ImageService, "imageFsInfo">,
  rootDir: string,
): () => Promise<NodeFolders> {
  let folders: Promise<NodeFolders> | undefined;
  const ask = async (): Promise<NodeFolders> => {
    const info = await images.imageFsInfo();
    const imagefs = info.images[0]?.mountpoint ?? rootDir;
    return { nodefs: rootDir, imagefs, containerfs: info.containers[0]?.mountpoint ?? imagefs };
  };
  return () => {
    folders ??= ask().catch((error: unknown) => {
      folders = undefined;
      throw error;
    });
    return folders;
  };
}
