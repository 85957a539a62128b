import type { PodSandboxConfig } from "./runtime-types.ts";

/** The images of a node. */
export interface ImageService {
  /** The status of an image; undefined if it is not on the node. */
  imageStatus(image: string): Promise<Image | undefined>;
  /** Pulls an image; resolves with its reference. */
  pullImage(image: string, options?: PullOptions): Promise<Image>;
  /** The largest first. */
  listImages(): Promise<readonly Image[]>;
  removeImage(image: string): Promise<void>;
}

export interface PullOptions {
  /** The pod for which it is pulled. */
  readonly sandbox?: Pick<PodSandboxConfig, "metadata" | "annotations"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Image {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
}
