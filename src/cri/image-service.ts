import type { PodSandboxConfig, StatusOptions } from "./runtime-types.ts";
import type { FilesystemUsage } from "./stats-types.ts";

/** The images of a node, by name, digest or ID. */
export interface ImageService {
  /** The status of an image; undefined if it is not on the node. */
  imageStatus(image: string, options?: ImageStatusOptions): Promise<Image | undefined>;
  /** Pulls an image; resolves with its reference. */
  pullImage(image: string, options?: PullOptions): Promise<Image>;
  /** The largest first; only one image, if it is given. */
  listImages(image?: string): Promise<readonly Image[]>;
  removeImage(image: string): Promise<void>;
  imageFsInfo(): Promise<ImageFsInfo>;
}

export interface ImageStatusOptions extends StatusOptions {
  /** The handler for which it was pulled. */
  readonly runtimeHandler?: string | undefined;
}

export interface PullOptions {
  /** The pod for which it is pulled. */
  readonly sandbox?: PodSandboxConfig | undefined;
  readonly auth?: RegistryAuth | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** The handler whose snapshots it is unpacked into. */
  readonly runtimeHandler?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Credentials of a registry, in one of their forms. */
export interface RegistryAuth {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The name and the password, joined by a colon, in base64. */
  readonly auth?: string | undefined;
  /** The registry that it is for; by default any that the image is pulled from. */
  readonly serverAddress?: string | undefined;
  /** A token to get access tokens with. */
  readonly identityToken?: string | undefined;
  /** A bearer token of the registry itself. */
  readonly registryToken?: string | undefined;
}

export interface Image {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  /** The user of its containers: a number, or a name. */
  readonly uid?: number | undefined;
  readonly username?: string | undefined;
  /** Whether it must never be garbage collected. */
  readonly pinned?: boolean | undefined;
  /** For people; only where it was requested. */
  readonly info?: Readonly<Record<string, string>> | undefined;
}

/** The file systems of images, and of what containers write. */
export interface ImageFsInfo {
  readonly images: readonly FilesystemUsage[];
  readonly containers: readonly FilesystemUsage[];
}
