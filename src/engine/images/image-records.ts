import { readFile } from "node:fs/promises";
import type { ContentStore } from "./content-store.ts";
import { type Manifest, parseManifest, parseObject } from "./manifest.ts";
import { parseImageConfig } from "./parse-image-config.ts";
import type { StoredImage } from "./stored-image.ts";

/** An image in memory: what its blobs say, and its names. */
export interface ImageRecord extends ReadImage {
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

/** The content of the file of all images. */
export function toFile(
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

/** Reads the file of all images; none where there is no file. */
export async function readFileRecords(path: string): Promise<readonly FileRecord[]> {
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

/** Reads the documents of an image by the digest of its manifest. */
export async function readImage(content: ContentStore, digest: string): Promise<ReadImage> {
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

export const layersOf = ({ manifest, config }: ReadImage): readonly Layer[] =>
  manifest.layers.map(({ digest, size }, at) => ({
    ...{ digest, size },
    diffId: config.rootfs.diff_ids[at] ?? "",
  }));

export function toImage({
  digest,
  manifest,
  config,
  manifestBytes,
  ...record
}: ImageRecord): StoredImage {
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

/** Gives names to an image, and takes them from the others. */
export function moveNames(
  records: Map<string, ImageRecord>,
  id: string,
  names: readonly string[],
): void {
  for (const [otherId, record] of records) {
    const kept = record.names.filter((name) => !names.includes(name));
    const added = otherId === id ? [...new Set(names)] : [];
    if (kept.length + added.length !== record.names.length || added.length > 0)
      records.set(otherId, { ...record, names: [...kept, ...added].sort() });
  }
}
