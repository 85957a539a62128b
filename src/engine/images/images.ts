import { mkdir } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Snapshots } from "../snapshots/snapshots.ts";
import { loadArchive } from "./archive/load-archive.ts";
import { saveArchive } from "./archive/save-archive.ts";
import { buildImage } from "./build-image.ts";
import { chooseSaved } from "./choose-saved.ts";
import { type CollectedGarbage, type CollectOptions, collectGarbage } from "./collect-garbage.ts";
import { type ContentLease, ContentLeases } from "./content-leases.ts";
import { ContentStore } from "./content-store.ts";
import { hostPlatform } from "./host-platform.ts";
import type { Layer } from "./image-records.ts";
import { ImageStore, type RemoveOptions } from "./image-store.ts";
import {
  defaultRegistry,
  type ImageBuild,
  type ImagePullOptions,
  type ImagePushOptions,
  type ImagesOptions,
  type LoadedImage,
  type PrunedImages,
  type PruneOptions,
  type RegistrySettings,
} from "./images-options.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { Platform } from "./manifest.ts";
import type { ImageUser, RemovalResult } from "./plan-removal.ts";
import { familiarRepository, parseReference, type Reference, withDefaultTag } from "./reference.ts";
import { BlobDownloads } from "./registry/blob-downloads.ts";
import { HttpConnections } from "./registry/http-connections.ts";
import { type PulledImage, pullImage } from "./registry/pull-image.ts";
import { type PushedImage, pushImage } from "./registry/push-image.ts";
import { RegistryClient } from "./registry/registry-client.ts";
import { registryHosts } from "./registry/registry-hosts.ts";
import { lockStore } from "./store-lock.ts";
import type { StoredImage } from "./stored-image.ts";
import { LayerUnpacker } from "./unpack-layers.ts";
import { type Verification, type Verifying, verifyImages } from "./verify-images.ts";

const day = 24 * 60 * 60 * 1000;

/** Opens the images of a node; only one process can have them open. */
export async function openImages(options: ImagesOptions): Promise<Images> {
  await mkdir(options.root, { recursive: true, mode: 0o700 });
  const unlock = await lockStore(options.root);
  try {
    const { snapshots: given } = options;
    const snapshots = typeof given === "function" ? await given() : given;
    const content = await ContentStore.open(options.root);
    const now = options.now ?? Date.now;
    let images: Images | undefined;
    const onRemoved = async (only: ReadonlySet<string>): Promise<void> =>
      void (await images?.collect({ only }));
    const store = await ImageStore.open({ root: options.root, content, now, onRemoved });
    images = new Images(options, { content, store, snapshots, unlock });
    // What a pull has left that was interrupted by a kill is kept for a day, to be continued.
    const before = now() - day;
    await content.removeIngests(before);
    if (store.damaged().length === 0) await images.collect({ before });
    await images.unpackMissing();
    return images;
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
  readonly #now: () => number;
  readonly #unlock: () => Promise<void>;

  constructor(options: ImagesOptions, opened: OpenedStore) {
    this.store = opened.store;
    this.#content = opened.content;
    this.#unlock = opened.unlock;
    this.#now = options.now ?? Date.now;
    this.#snapshots = opened.snapshots;
    this.#users = options.users ?? (() => []);
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#platform = options.platform ?? hostPlatform();
    this.#registry = { ...defaultRegistry, ...options.registry };
    this.#connections = new HttpConnections(this.#registry.stallMs, this.#registry.env);
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
    const lease = this.#leases.start();
    try {
      const archived = await loadArchive(source, {
        content: this.#content,
        lease,
        platform: this.#platform,
        limits: this.#limits,
        signal: options.signal,
      });
      const loaded: LoadedImage[] = [];
      for (const { manifest, names } of archived) {
        const layers = await this.store.layersOf(manifest);
        await this.#unpackAll(layers, lease, options.signal);
        loaded.push({ image: await this.store.add(manifest, names), names });
      }
      return loaded;
    } finally {
      lease.end();
      // The archive's own documents, or everything if it was refused.
      await this.collect({ only: lease.keys });
    }
  }

  /**
   * Unpacks layers of images that are missing: after a power failure, those that were not yet on disk. A layer that
   * cannot be unpacked is left to `verify`.
   */
  async unpackMissing(): Promise<void> {
    const unpacked = new Set(await this.#snapshots.listLayers());
    const layers = this.store.list().flatMap(({ id }) => this.store.recordedLayers(id));
    const missing = layers.filter(({ diffId }) => !unpacked.has(diffId));
    for (const layer of missing)
      await this.#leased((lease) => this.#unpackAll([layer], lease)).catch(() => undefined);
  }

  /**
   * Images as an archive that docker and OCI tools load. A repository without a tag stands for all its tags.
   * Throws an ImageNotFound error at once, not in the stream.
   */
  save(names: readonly string[]): Readable {
    const images = chooseSaved(this.store, names);
    const lease = this.#leases.start();
    const archive = saveArchive(this.#content, images);
    archive.once("close", () => lease.end());
    for (const { image } of images)
      for (const digest of this.store.contentOf(image.id)) void lease.add(digest);
    return archive;
  }

  /** Makes an image of another one and a layer (`docker commit`), or of a layer alone (`docker import`). */
  async build(image: ImageBuild): Promise<StoredImage> {
    const { name, signal, ...build } = image;
    return this.#leased(async (lease) => {
      const createdAt = new Date(this.#now());
      const fresh = { platform: this.#platform, createdAt, ...build };
      const manifest = await buildImage(fresh, this.#content, lease);
      await this.#unpackAll(await this.store.layersOf(manifest), lease, signal);
      const names = name === undefined ? [] : [withDefaultTag(parseReference(name))];
      return this.store.add(manifest, names);
    });
  }

  /** Sends an image to the registry of its name. */
  async push(name: string, options: ImagePushOptions = {}): Promise<PushedImage> {
    const { auth, signal, onProgress } = options;
    const reference = withDefaultTag(parseReference(name));
    const image = this.store.resolve(name);
    if (image === undefined)
      throw new Error(
        `An image does not exist locally with the tag: ${familiarRepository(reference)}`,
      );
    const hosts = await registryHosts(reference.domain, this.#registry.hostsFolders);
    const client = new RegistryClient(reference, { connections: this.#connections, hosts, auth });
    const content = this.#content;
    const sources = otherRepositories(image, reference);
    const pushed = await pushImage(reference, image, {
      client,
      content,
      sources,
      signal,
      onProgress,
    });
    const { domain, path } = reference;
    await this.store.add(image.manifest, [{ domain, path, digest: pushed.digest }]);
    return pushed;
  }

  /** Removes a name, or an image and its content: as `docker rmi` does. */
  async remove(
    nameOrId: string,
    options: Pick<RemoveOptions, "force"> = {},
  ): Promise<readonly RemovalResult[]> {
    const users = this.#users();
    return (await this.store.remove(nameOrId, { ...options, users })).results;
  }

  /**
   * Removes images that no container uses: those without a tag, or all; and then everything that no image
   * needs.
   */
  async prune(options: PruneOptions = {}): Promise<PrunedImages> {
    const { all = false, includes = () => true } = options;
    const used = new Set(this.#users().map(({ imageId }) => imageId));
    const results: RemovalResult[] = [];
    for (const image of this.store.list()) {
      if (used.has(image.id) || (!all && image.tags.length > 0) || !includes(image)) continue;
      const removed = await this.store.remove(image.id, { force: true, keepsContent: true });
      results.push(...removed.results);
    }
    // Their names would point to content that goes now.
    if (this.store.damaged().length > 0) await this.store.removeDamaged();
    const { bytes } = await this.collect();
    return { results, bytes: bytes + (await this.#content.removeIngests(this.#now())) };
  }

  /** Removes blobs and layers that no image needs and no work in progress holds. */
  async collect(options: CollectOptions = {}): Promise<CollectedGarbage> {
    const { store } = this;
    const parts = { content: this.#content, snapshots: this.#snapshots, leases: this.#leases };
    return collectGarbage({ store, ...parts }, options);
  }

  /** Hashes all blobs again and looks for what images lack. */
  async verify(options: Pick<Verifying, "signal" | "onBlob"> = {}): Promise<Verification> {
    const parts = { content: this.#content, snapshots: this.#snapshots, store: this.store };
    return verifyImages({ ...parts, ...options });
  }

  /** Releases the store for other processes. */
  async close(): Promise<void> {
    this.#connections.close();
    await this.#unlock();
  }

  /** Unpacks layers at the same time; none is still unpacked when it ends. */
  async #unpackAll(
    layers: readonly Layer[],
    lease: ContentLease,
    signal?: AbortSignal,
  ): Promise<void> {
    const ended = await Promise.allSettled(
      layers.map(async (layer) => {
        await lease.add(layer.diffId);
        await this.#unpacker.ensure(layer, signal);
      }),
    );
    const failed = ended.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
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

interface OpenedStore {
  readonly content: ContentStore;
  readonly store: ImageStore;
  readonly snapshots: Snapshots;
  readonly unlock: () => Promise<void>;
}

/** The repositories of the same registry that an image was pulled from or pushed to. */
const otherRepositories = (image: StoredImage, { domain, path }: Reference): string[] => [
  ...new Set(
    image.digests
      .map((name) => parseReference(name))
      .filter((other) => other.domain === domain && other.path !== path)
      .map((other) => other.path),
  ),
];
