import type { RegistryAuth } from "../../cri/image-service.ts";
import type { Snapshots } from "../snapshots/snapshots.ts";
import type { NewImage } from "./build-image.ts";
import type { Limits } from "./limits.ts";
import type { Platform } from "./manifest.ts";
import type { ImageUser, RemovalResult } from "./plan-removal.ts";
import type { PullProgress } from "./pull-progress.ts";
import type { Reference } from "./reference.ts";
import type { ProxyEnvironment } from "./registry/proxy-for.ts";
import type { PushProgress } from "./registry/push-image.ts";
import type { StoredImage } from "./stored-image.ts";

export interface ImagesOptions {
  /** The folder of the image store. */
  readonly root: string;
  /** Where layers are unpacked; a function is called once the store is locked for this process. */
  readonly snapshots: Snapshots | (() => Promise<Snapshots>);
  /** The containers that exist, by the images they were made from. */
  readonly users?: (() => readonly ImageUser[]) | undefined;
  /** By default that of the machine. */
  readonly platform?: Platform | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly registry?: Partial<RegistrySettings> | undefined;
  readonly now?: (() => number) | undefined;
}

/** How registries are reached. */
export interface RegistrySettings {
  /** Folders with containerd's `hosts.toml` files, in a folder for each registry. */
  readonly hostsFolders: readonly string[];
  /** How long a connection may be silent. */
  readonly stallMs: number;
  /** How long to wait before the second attempt to download; each further wait is twice as long. */
  readonly retryMs: number;
  /** How many layers are downloaded at once. */
  readonly parallel: number;
  /** Names proxies by HTTPS_PROXY, HTTP_PROXY and NO_PROXY; by default the environment of this process. */
  readonly env: ProxyEnvironment;
}

export const defaultRegistry: RegistrySettings = {
  hostsFolders: ["/etc/containerd/certs.d", "/etc/docker/certs.d"],
  stallMs: 30_000,
  retryMs: 500,
  parallel: 3,
  env: process.env,
};

export interface ImagePullOptions {
  readonly auth?: RegistryAuth | undefined;
  /** By default that of the machine. */
  readonly platform?: Platform | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
}

export interface ImagePushOptions {
  readonly auth?: RegistryAuth | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PushProgress) => void) | undefined;
}

export interface ImageBuild extends Omit<NewImage, "platform" | "createdAt"> {
  /** By default that of the machine. */
  readonly platform?: Platform;
  readonly name?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PruneOptions {
  /** Whether images with tags are removed, too. */
  readonly all?: boolean | undefined;
  /** Which images may be removed. */
  readonly includes?: ((image: StoredImage) => boolean) | undefined;
}

export interface PrunedImages {
  readonly results: readonly RemovalResult[];
  /** The bytes that were freed. */
  readonly bytes: number;
}

export interface LoadedImage {
  readonly image: StoredImage;
  /** The names that the archive has for it. */
  readonly names: readonly Reference[];
}
