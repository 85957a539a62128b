import { join } from "node:path";
import { errorMessage } from "../../base/error-message.ts";
import { writePrivateFile } from "../../platform/files.ts";
import type { ContentStore } from "./content-store.ts";
import { isDigest } from "./digest.ts";
import {
  type DamagedImage,
  type ImageRecord,
  type Layer,
  layersOf,
  moveNames,
  readFileRecords,
  readImage,
  toFile,
  toImage,
} from "./image-records.ts";
import {
  type ImageUser,
  planRemoval,
  type RemovalPlan,
  type RemovalResult,
} from "./plan-removal.ts";
import {
  fullName,
  parseImageName,
  parseReference,
  type Reference,
  withDefaultTag,
} from "./reference.ts";
import type { StoredImage } from "./stored-image.ts";

/**
 * The images of a node and their names. The names are in one file that is replaced as a whole; all else is
 * read from the blobs. An image without a name stays until it is removed: it is dangling.
 */
export class ImageStore {
  readonly #path: string;
  readonly #content: ContentStore;
  readonly #now: () => number;
  readonly #onRemoved: (content: ReadonlySet<string>) => Promise<void>;
  /** By ID. Replaced with every change, never changed in place. */
  #records: ReadonlyMap<string, ImageRecord> = new Map();
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** What could not be read, by the digest of its manifest. It stays recorded until it is replaced. */
  readonly #damaged = new Map<string, DamagedImage>();

  private constructor({ root, content, now, onRemoved }: ImageStoreOptions) {
    this.#path = join(root, "images.json");
    this.#content = content;
    this.#now = now;
    this.#onRemoved = onRemoved;
  }

  static async open(options: ImageStoreOptions): Promise<ImageStore> {
    const store = new ImageStore(options);
    await store.#load();
    return store;
  }

  /** The newest first. */
  list(): readonly StoredImage[] {
    return [...this.#records.values()]
      .map(toImage)
      .sort((a, b) => createdAt(b) - createdAt(a) || (a.id < b.id ? -1 : 1));
  }

  /**
   * Finds an image by a name (with `latest` as the default tag), by its ID, or by the beginning of its ID.
   * An ID that several images begin with finds none.
   */
  resolve(nameOrId: string): StoredImage | undefined {
    return this.#find(nameOrId)?.image;
  }

  /** The images that are recorded, but whose manifest or configuration is missing or damaged. */
  damaged(): readonly DamagedImage[] {
    return [...this.#damaged.values()];
  }

  /** Records an image whose blobs are stored, and moves these names to it. */
  async add(manifest: string, names: readonly Reference[] = []): Promise<StoredImage> {
    const read = await readImage(this.#content, manifest);
    const id = read.manifest.config.digest;
    await this.#change((records) => {
      const before = records.get(id);
      records.set(id, {
        ...read,
        // The manifest that came first stays: its layers are those that were unpacked.
        ...(before === undefined ? {} : { digest: before.digest, manifest: before.manifest }),
        names: before?.names ?? [],
        lastTaggedAt: this.#now(),
      });
      moveNames(records, id, names.map(fullName));
      this.#damaged.delete(manifest);
    });
    return this.#mustFind(id);
  }

  /** Moves a name to an image. */
  async tag(id: string, name: Reference): Promise<void> {
    await this.#change((records) => {
      const record = records.get(id);
      if (record === undefined) throw new ImageNotFound(id);
      records.set(id, { ...record, lastTaggedAt: this.#now() });
      moveNames(records, id, [fullName(withDefaultTag(name))]);
    });
  }

  /** Removes a name, or the image with all its names: as `docker rmi` does. */
  async remove(nameOrId: string, options: RemoveOptions = {}): Promise<RemovedImage> {
    const found = this.#find(nameOrId);
    if (found === undefined) throw new ImageNotFound(nameOrId);
    const { image, name } = found;
    const { users = [], force, keepsContent = false } = options;
    const content = this.contentOf(image.id);
    let plan: RemovalPlan = { names: [], isDeleted: false, results: [] };
    await this.#change((records) => {
      // It may have got another name, or have been removed, since it was found.
      const record = records.get(image.id);
      if (record === undefined) throw new ImageNotFound(nameOrId);
      const others = [...records.values()].filter((other) => other !== record).map(toImage);
      const current = toImage(record);
      plan = planRemoval({ given: nameOrId, image: current, name, others, users, force });
      const names = record.names.filter((other) => !plan.names.includes(other));
      if (plan.isDeleted) records.delete(image.id);
      else records.set(image.id, { ...record, names });
    });
    if (plan.isDeleted && !keepsContent) await this.#onRemoved(content);
    return { image, isDeleted: plan.isDeleted, results: plan.results };
  }

  /**
   * Removes an image with all its names and its content, whoever uses it; containers keep their layers. One
   * that does not exist is not an error.
   */
  async removeAll(id: string): Promise<void> {
    if (!this.#records.has(id)) return;
    const content = this.contentOf(id);
    await this.#change((records) => void records.delete(id));
    await this.#onRemoved(content);
  }

  /** Forgets the images that cannot be read. */
  async removeDamaged(): Promise<void> {
    await this.#change(() => this.#damaged.clear());
  }

  /** The digests of the blobs that images need. */
  neededBlobs(): ReadonlySet<string> {
    const needed = new Set<string>();
    for (const { digest, manifest, names } of this.#records.values()) {
      needed.add(digest).add(manifest.config.digest);
      for (const layer of manifest.layers) needed.add(layer.digest);
      for (const name of names) {
        const target = parseReference(name).digest;
        if (target !== undefined) needed.add(target);
      }
    }
    return needed;
  }

  /** The digests of an image's blobs and layers. */
  contentOf(id: string): ReadonlySet<string> {
    const record = this.#records.get(id);
    if (record === undefined) throw new ImageNotFound(id);
    const lists = record.names.flatMap((name) => parseReference(name).digest ?? []);
    const layers = layersOf(record).flatMap(({ digest, diffId }) => [digest, diffId]);
    return new Set([id, record.digest, ...lists, ...layers]);
  }

  /** The layers of an image by its manifest, which need not be recorded yet: the lowest first. */
  async layersOf(manifest: string): Promise<readonly Layer[]> {
    return layersOf(await readImage(this.#content, manifest));
  }

  /** The layers of an image: the lowest first. */
  recordedLayers(id: string): readonly Layer[] {
    const record = this.#records.get(id);
    if (record === undefined) throw new ImageNotFound(id);
    return layersOf(record);
  }

  #find(nameOrId: string): { image: StoredImage; name?: string } | undefined {
    const byId = this.#records.get(isDigest(nameOrId) ? nameOrId : `sha256:${nameOrId}`);
    if (byId !== undefined) return { image: toImage(byId) };
    const name = nameIn(nameOrId);
    if (name !== undefined)
      for (const record of this.#records.values())
        if (record.names.includes(name)) return { image: toImage(record), name };
    const prefix = nameOrId.replace(/^sha256:/, "");
    if (!/^[0-9a-f]{1,63}$/.test(prefix)) return undefined;
    const matches = [...this.#records].filter(([id]) => id.startsWith(`sha256:${prefix}`));
    const [match] = matches;
    return match !== undefined && matches.length === 1 ? { image: toImage(match[1]) } : undefined;
  }

  #mustFind(id: string): StoredImage {
    const record = this.#records.get(id);
    if (record === undefined) throw new ImageNotFound(id);
    return toImage(record);
  }

  /** Changes a copy, writes it, and only then shows it; one change at a time. */
  async #change(change: (records: Map<string, ImageRecord>) => void): Promise<void> {
    const write = this.#lastWrite.then(async () => {
      const records = new Map(this.#records);
      change(records);
      await writePrivateFile(this.#path, toFile(records, this.damaged()));
      this.#records = records;
    });
    this.#lastWrite = write.catch(() => undefined);
    await write;
  }

  async #load(): Promise<void> {
    const records = new Map<string, ImageRecord>();
    for (const record of await readFileRecords(this.#path))
      try {
        const read = await readImage(this.#content, record.manifest);
        const { names, lastTaggedAt } = record;
        records.set(read.manifest.config.digest, { ...read, names, lastTaggedAt });
      } catch (error) {
        this.#damaged.set(record.manifest, { ...record, reason: errorMessage(error) });
      }
    this.#records = records;
  }
}

export interface ImageStoreOptions {
  readonly root: string;
  readonly content: ContentStore;
  readonly now: () => number;
  /** Called with the content of an image that was removed, which others may still need. */
  readonly onRemoved: (content: ReadonlySet<string>) => Promise<void>;
}

export interface RemoveOptions {
  readonly force?: boolean | undefined;
  /** Whether its content is left to a later collection. */
  readonly keepsContent?: boolean | undefined;
  /** The containers that exist. */
  readonly users?: readonly ImageUser[] | undefined;
}

export interface RemovedImage {
  readonly image: StoredImage;
  readonly isDeleted: boolean;
  readonly results: readonly RemovalResult[];
}

/** A name or ID that no image has; the message is docker's. */
export class ImageNotFound extends Error {
  override readonly name = "ImageNotFound";

  constructor(nameOrId: string) {
    const withTag = nameIn(nameOrId) === undefined ? nameOrId : familiar(nameOrId);
    super(`No such image: ${withTag}`);
  }
}

const createdAt = ({ config }: StoredImage): number => Date.parse(config.created ?? "") || 0;

/** The full name that a text stands for; undefined if it cannot be a name. */
function nameIn(text: string): string | undefined {
  try {
    return fullName(parseImageName(text));
  } catch {
    return undefined;
  }
}

/** As docker repeats a name in its error: with the default tag. */
function familiar(text: string): string {
  const last = text.slice(text.lastIndexOf("/") + 1);
  return /[:@]/.test(last) ? text : `${text}:latest`;
}
