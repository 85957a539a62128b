import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../base/error-message.ts";
import { writePrivateFile } from "../../platform/files.ts";
import type { ContentStore } from "./content-store.ts";
import { isDigest } from "./digest.ts";
import { type Manifest, parseManifest, parseObject } from "./manifest.ts";
import { parseImageConfig } from "./parse-image-config.ts";
import { type ImageUser, planRemoval, type RemovalResult } from "./plan-removal.ts";
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
  /** By ID. Replaced with every change, never changed in place. */
  #records: ReadonlyMap<string, ImageRecord> = new Map();
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** What could not be read, by the digest of its manifest. It stays recorded until it is replaced. */
  readonly #damaged = new Map<string, DamagedImage>();

  private constructor({ root, content, now }: ImageStoreOptions) {
    this.#path = join(root, "images.json");
    this.#content = content;
    this.#now = now;
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
    const others = this.list().filter(({ id }) => id !== image.id);
    const { users = [], force } = options;
    const plan = planRemoval({ given: nameOrId, image, name, others, users, force });
    await this.#change((records) => {
      const record = records.get(image.id);
      if (record === undefined) return;
      if (plan.isDeleted) records.delete(image.id);
      else
        records.set(image.id, {
          ...record,
          names: record.names.filter((other) => !plan.names.includes(other)),
        });
    });
    return { image, isDeleted: plan.isDeleted, results: plan.results };
  }

  /** Removes an image with all its names, whoever uses it; one that does not exist is not an error. */
  async removeAll(id: string): Promise<void> {
    await this.#change((records) => void records.delete(id));
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
}

export interface RemoveOptions {
  readonly force?: boolean | undefined;
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

interface ImageRecord extends ReadImage {
  /** Full names: tags and digests. */
  readonly names: readonly string[];
  readonly lastTaggedAt: number;
}

/** A compressed layer and what it expands to. */
export interface Layer {
  readonly digest: string;
  readonly diffId: string;
  /** The compressed bytes. */
  readonly size: number;
}

interface ReadImage {
  /** The digest of the manifest. */
  readonly digest: string;
  readonly manifest: Manifest;
  readonly config: StoredImage["config"];
  readonly manifestBytes: number;
}

/** What is on disk of an image: the rest is in its blobs. */
interface FileRecord {
  readonly manifest: string;
  readonly names: readonly string[];
  readonly lastTaggedAt: number;
}

export interface DamagedImage extends FileRecord {
  readonly reason: string;
}

const fileVersion = 1;

function toFile(
  records: ReadonlyMap<string, ImageRecord>,
  damaged: readonly DamagedImage[],
): string {
  const taken = new Set([...records.values()].flatMap(({ names }) => names));
  const images: FileRecord[] = [
    ...[...records.values()].map(({ digest, ...rest }) => ({ ...rest, manifest: digest })),
    ...damaged.map(({ names, ...rest }) => ({
      ...rest,
      names: names.filter((name) => !taken.has(name)),
    })),
  ].map(({ manifest, names, lastTaggedAt }) => ({ manifest, names, lastTaggedAt }));
  return `${JSON.stringify({ version: fileVersion, images }, undefined, 1)}\n`;
}

async function readFileRecords(path: string): Promise<readonly FileRecord[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const { version, images } = parseObject(bytes, path);
  if (version !== fileVersion) throw new Error(`${path} was written by another version`);
  return images as readonly FileRecord[];
}

async function readImage(content: ContentStore, digest: string): Promise<ReadImage> {
  const bytes = await content.read(digest);
  const manifest = parseManifest(bytes);
  if (manifest.kind !== "manifest") throw new Error(`${digest} is not the manifest of an image`);
  const config = parseImageConfig(await content.read(manifest.config.digest));
  if (config.rootfs.diff_ids.length !== manifest.layers.length)
    throw new Error(
      `mismatched image rootfs and manifest layers: ${config.rootfs.diff_ids.length} and ${manifest.layers.length}`,
    );
  return { digest, manifest, config, manifestBytes: bytes.length };
}

const layersOf = ({ manifest, config }: ReadImage): readonly Layer[] =>
  manifest.layers.map(({ digest, size }, at) => ({
    ...{ digest, size },
    diffId: config.rootfs.diff_ids[at] ?? "",
  }));

function moveNames(records: Map<string, ImageRecord>, id: string, names: readonly string[]): void {
  for (const [otherId, record] of records) {
    const kept = record.names.filter((name) => !names.includes(name));
    const added = otherId === id ? [...new Set(names)] : [];
    if (kept.length + added.length !== record.names.length || added.length > 0)
      records.set(otherId, { ...record, names: [...kept, ...added].sort() });
  }
}

function toImage({ digest, manifest, config, manifestBytes, ...record }: ImageRecord): StoredImage {
  const layerBytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  return {
    id: manifest.config.digest,
    tags: record.names.filter((name) => !name.includes("@")),
    digests: record.names.filter((name) => name.includes("@")),
    layers: config.rootfs.diff_ids,
    sizeBytes: manifestBytes + manifest.config.size + layerBytes,
    config,
    manifest: digest,
    lastTaggedAt: record.lastTaggedAt,
  };
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
