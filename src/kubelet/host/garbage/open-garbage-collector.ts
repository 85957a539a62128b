import {
  createGarbageCollector,
  type GarbageCollector,
  type GarbageCollectorOptions,
} from "../../garbage/garbage-collector.ts";
import { readFilesystem } from "../machine/filesystem.ts";
import { findNodeFolders } from "../machine/node-folders.ts";

export interface OpenGarbageCollectorOptions extends Omit<GarbageCollectorOptions, "imageDisk"> {
  /** The root directory of the kubelet, in case the runtime does not say where it keeps images. */
  readonly rootDir: string;
}

/**
 * Opens the garbage collector of a node on this machine; throws if the policy of images is invalid.
 */
export function openGarbageCollector(options: OpenGarbageCollectorOptions): GarbageCollector {
  const folders = findNodeFolders(options.images, options.rootDir);
  return createGarbageCollector({
    ...options,
    imageDisk: async () => readFilesystem((await folders()).imagefs),
  });
}
