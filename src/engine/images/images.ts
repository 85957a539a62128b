import { mkdir } from "node:fs/promises";
import type { Snapshots } from "../snapshots/snapshots.ts";
import { loadArchive } from "./archive/load-archive.ts";
import { type ContentLease, ContentLeases } from "./content-leases.ts";
import { ContentStore } from "./content-store.ts";
import { hostPlatform } from "./host-platform.ts";
import { ImageStore, type RemoveOptions } from "./image-store.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { Platform } from "./manifest.ts";
import type { ImageUser, RemovalResult } from "./plan-removal.ts";
import type { PullProgress } from "./pull-progress.ts";
import { parseReference, type Reference, withDefaultTag } from "./reference.ts";
import { BlobDownloads } from "./registry/blob-downloads.ts";
import type { RegistryAuth } from "./registry/credentials.ts";
import { HttpConnections } from "./registry/http-connections.ts";
import { type PulledImage, pullImage } from "./registry/pull-image.ts";
import { RegistryClient } from "./registry/registry-client.ts";
import { registryHosts } from "./registry/registry-hosts.ts";
import { lockStore } from "./store-lock.ts";
import type { StoredImage } from "./stored-image.ts";
import { LayerUnpacker } from "./unpack-layers.ts";

export interface ImagesOptions {
  /** The folder of the image store. */
  readonly root: string;
  readonly snapshots: Snapshots;
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
}

const defaultRegistry: RegistrySettings = {
  hostsFolders: ["/etc/containerd/certs.d", "/etc/docker/certs.d"],
  stallMs: 30_000,
  retryMs: 500,
  parallel: 3,
};

/**
 * Opens the images of a node; only one process can have them open. Unused so far: the engine and
 * `wherry image` come next.
 */
export async function openImages(options: ImagesOptions): Promise<Images> {
  await mkdir(options.root, { recursive: true, mode: 0o700 });
  const unlock = await lockStore(options.root);
  try {
    const content = await ContentStore.open(options.root);
    const now = options.now ?? Date.now;
    const store = await ImageStore.open({ root: options.root, content, now });
    return new Images(options, { content, store, unlock });
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The images of a node: what `docker image` and CRI's image service do. */
export class Images {
  readonly store: ImageStore;
  readonly #content: ContentStore;
  readonly #leases = new ContentLeases();
  readonly #unpacker: LayerUnpacker;
  readonly #snapshots: Snapshots;
  readonly #users: () => readonly ImageUser[];
  readonly #limits: Limits;
  readonly #platform: Platform;
  readonly #registry: RegistrySettings;
  readonly #connections: HttpConnections;
  readonly #downloads: BlobDownloads;
  readonly #unlock: () => Promise<void>;

  constructor(options: ImagesOptions, opened: OpenedStore) {
    this.store = opened.store;
    this.#content = opened.content;
    this.#unlock = opened.unlock;
    this.#snapshots = options.snapshots;
    this.#users = options.users ?? (() => []);
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#platform = options.platform ?? hostPlatform();
    this.#registry = { ...defaultRegistry, ...options.registry };
    this.#connections = new HttpConnections(this.#registry.stallMs);
    this.#downloads = new BlobDownloads(this.#content, this.#registry);
    this.#unpacker = new LayerUnpacker(this.#content, this.#snapshots, this.#limits);
    for (const { id } of this.store.list()) this.#unpacker.trust(this.store.recordedLayers(id));
  }

  /**
   * Pulls an image from its registry, or from a mirror of it, and unpacks its layers. What is already stored is
   * not fetched again; pulls at the same time share their work.
   */
  async pull(name: string, options: ImagePullOptions = {}): Promise<PulledImage> {
    const { auth, platform = this.#platform, signal, onProgress } = options;
    const reference = withDefaultTag(parseReference(name));
    const hosts = await registryHosts(reference.domain, this.#registry.hostsFolders);
    const client = new RegistryClient(reference, { connections: this.#connections, hosts, auth });
    return this.#leased((lease) =>
      pullImage(reference, {
        client,
        content: this.#content,
        store: this.store,
        downloads: this.#downloads,
        unpacker: this.#unpacker,
        limits: this.#limits,
        lease,
        platform,
        signal,
        onProgress,
      }),
    );
  }

  /** Loads the images of an archive, compressed or not, and unpacks their layers. */
  async load(
    source: AsyncIterable<Uint8Array>,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<readonly LoadedImage[]> {
    return this.#leased(async (lease) => {
      const archived = await loadArchive(source, {
        content: this.#content,
        lease,
        platform: this.#platform,
        mostBytes: this.#limits.imageBytes,
        signal: options.signal,
      });
      const loaded: LoadedImage[] = [];
      for (const { manifest, names } of archived) {
        const layers = await this.store.layersOf(manifest);
        for (const layer of layers) {
          await lease.add(layer.diffId);
          await this.#unpacker.ensure(layer, options.signal);
        }
        loaded.push({ image: await this.store.add(manifest, names), names });
      }
      return loaded;
    });
  }

  /** Unpacks layers of an image that are missing, such as after a restore of the store alone. */
  async unpack(id: string, signal?: AbortSignal): Promise<void> {
    await this.#leased(async (lease) => {
      for (const layer of this.store.recordedLayers(id)) {
        await lease.add(layer.diffId);
        await this.#unpacker.ensure(layer, signal);
      }
    });
  }

  /** Removes a name, or an image and its content: as `docker rmi` does. */
  async remove(
    nameOrId: string,
    options: Pick<RemoveOptions, "force"> = {},
  ): Promise<readonly RemovalResult[]> {
    const { results } = await this.store.remove(nameOrId, { ...options, users: this.#users() });
    return results;
  }

  /** Releases the store for other processes. */
  async close(): Promise<void> {
    this.#connections.close();
    await this.#unlock();
  }

  async #leased<T>(work: (lease: ContentLease) => Promise<T>): Promise<T> {
    const lease = this.#leases.start();
    try {
      return await work(lease);
    } finally {
      lease.end();
    }
  }
}

export interface ImagePullOptions {
  readonly auth?: RegistryAuth | undefined;
  /** By default that of the machine. */
  readonly platform?: Platform | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
}

interface OpenedStore {
  readonly content: ContentStore;
  readonly store: ImageStore;
  readonly unlock: () => Promise<void>;
}

export interface LoadedImage {
  readonly image: StoredImage;
  /** The names that the archive has for it. */
  readonly names: readonly Reference[];
}
