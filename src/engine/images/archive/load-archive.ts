import { posix } from "node:path";
import { addAbortSignal, Readable } from "node:stream";
import { readTar, type TarEntry } from "../../../platform/tar/tar-reader.ts";
import type { ContentLease } from "../content-leases.ts";
import { type ContentStore, mostDocumentBytes } from "../content-store.ts";
import { decompress } from "../decompress.ts";
import { isDigest } from "../digest.ts";
import type { Limits } from "../limits.ts";
import {
  choosePlatform,
  type Descriptor,
  mediaTypes,
  type Platform,
  parseManifest,
} from "../manifest.ts";
import { parseImageConfig } from "../parse-image-config.ts";
import { parseReference, type Reference, withDefaultTag } from "../reference.ts";

/** An image of an archive whose blobs are stored, but which has no record yet. */
export interface ArchivedImage {
  /** The digest of its manifest. */
  readonly manifest: string;
  readonly names: readonly Reference[];
}

export interface ArchiveReading {
  readonly content: ContentStore;
  readonly lease: ContentLease;
  readonly platform: Platform;
  readonly limits: Limits;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stores the blobs of an archive that `docker save` or an OCI tool wrote, and returns its images. The stream
 * is read once: every file becomes a blob under its own digest, and its path is only a key by which the
 * documents of the archive find it.
 */
export async function loadArchive(
  source: AsyncIterable<Uint8Array>,
  reading: ArchiveReading,
): Promise<readonly ArchivedImage[]> {
  // A pipe may be silent for ever: an abort must not wait for its next bytes.
  const readable = Readable.from(source, { objectMode: false });
  if (reading.signal) addAbortSignal(reading.signal, readable);
  const files = await storeFiles(readable, reading)
    .catch((error: unknown) => {
      reading.signal?.throwIfAborted();
      throw error;
    })
    .finally(() => source instanceof Readable && source.destroy());
  const dockerManifest = files.get("manifest.json");
  if (dockerManifest !== undefined) {
    const entries = parseList(await reading.content.read(dockerManifest.digest));
    return Promise.all(entries.map((entry) => loadDockerImage(entry, files, reading)));
  }
  const index = files.get("index.json");
  if (index === undefined && files.has("repositories"))
    throw new Error("invalid archive: it has no manifest.json, as before docker 1.10");
  if (index === undefined)
    throw new Error("unrecognized image format: it has neither manifest.json nor index.json");
  return loadOciImages(await reading.content.read(index.digest), files, reading);
}

interface StoredFile {
  readonly digest: string;
  readonly size: number;
}

type Files = ReadonlyMap<string, StoredFile>;

async function storeFiles(
  source: AsyncIterable<Uint8Array>,
  reading: ArchiveReading,
): Promise<Files> {
  const files = new Map<string, StoredFile>();
  const links = new Map<string, string>();
  let left = reading.limits.imageBytes;
  for await (const entry of readTar(expanded(source, reading.limits))) {
    reading.signal?.throwIfAborted();
    const path = fileKey(entry.name);
    left -= entry.size;
    if (left < 0) throw new Error(`the archive has more than ${reading.limits.imageBytes} bytes`);
    if (entry.type === "file") files.set(path, await storeFile(entry, reading));
    // Old archives name equal layers once, and link to them.
    if (entry.type === "symlink")
      links.set(path, fileKey(posix.join(posix.dirname(path), entry.linkName)));
    if (entry.type === "hardlink") links.set(path, fileKey(entry.linkName));
  }
  for (const [path, target] of links) {
    const file = files.get(target);
    if (file !== undefined && !files.has(path)) files.set(path, file);
  }
  return files;
}

/** The bytes of an archive without its compression, unless they grow too much. */
async function* expanded(source: AsyncIterable<Uint8Array>, limits: Limits) {
  let read = 0;
  let bytes = 0;
  async function* counted() {
    for await (const chunk of source) {
      read += chunk.length;
      yield chunk;
    }
  }
  for await (const chunk of await decompress(counted())) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > Math.max(limits.smallLayerBytes, read * limits.expansion))
      throw new Error(`the archive expands from ${read} to more than ${bytes} bytes`);
    yield chunk as Uint8Array;
  }
}

async function storeFile(entry: TarEntry, reading: ArchiveReading): Promise<StoredFile> {
  const ingest = await reading.content.begin();
  try {
    for await (const chunk of entry.content()) {
      reading.signal?.throwIfAborted();
      await ingest.write(chunk);
    }
    const digest = await ingest.commit();
    await reading.lease.add(digest);
    return { digest, size: entry.size };
  } finally {
    await ingest.close();
  }
}

/** The key of a file by its path in the archive. */
const fileKey = (path: string): string => posix.normalize(`/${path}`).slice(1);

interface DockerEntry {
  readonly Config: string;
  readonly RepoTags: readonly string[];
  readonly Layers: readonly string[];
}

function parseList(bytes: Uint8Array): readonly DockerEntry[] {
  let list: unknown;
  try {
    list = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new Error("invalid manifest.json: it is not JSON", { cause });
  }
  if (!Array.isArray(list)) throw new Error("invalid manifest.json: it is not a list");
  return list.map((entry) => {
    const { Config, RepoTags, Layers } = entry as Record<string, unknown>;
    const layers = Layers ?? [];
    const tags = RepoTags ?? [];
    if (typeof Config !== "string" || !isTexts(layers) || !isTexts(tags))
      throw new Error("invalid manifest.json: an entry has no Config, Layers or RepoTags");
    return { Config, RepoTags: tags, Layers: layers };
  });
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((member) => typeof member === "string");

async function loadDockerImage(
  entry: DockerEntry,
  files: Files,
  { content, lease }: ArchiveReading,
): Promise<ArchivedImage> {
  const config = findFile(files, entry.Config);
  const { rootfs } = parseImageConfig(await content.read(config.digest));
  if (rootfs.diff_ids.length !== entry.Layers.length)
    throw new Error(
      `invalid manifest, layers length mismatch: expected ${rootfs.diff_ids.length}, got ${entry.Layers.length}`,
    );
  const layers: Descriptor[] = [];
  for (const [at, path] of entry.Layers.entries()) {
    const { digest, size } = findFile(files, path);
    // A layer is a plain tar if its digest is its diff ID; otherwise its beginning tells its compression.
    const suffix = digest === rootfs.diff_ids[at] ? "" : await compressionOf(content, digest);
    layers.push({ mediaType: `${mediaTypes.ociLayer}${suffix}`, digest, size });
  }
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.ociManifest,
    config: { mediaType: mediaTypes.ociConfig, ...config },
    layers,
  };
  const digest = await content.put(JSON.stringify(manifest));
  await lease.add(digest);
  return { manifest: digest, names: entry.RepoTags.map(tagOf) };
}

function tagOf(text: string): Reference {
  const reference = parseReference(text);
  if (reference.tag === undefined) throw new Error(`invalid tag ${JSON.stringify(text)}`);
  return reference;
}

function findFile(files: Files, path: string): StoredFile {
  const file = files.get(fileKey(path));
  if (file === undefined) throw new Error(`the archive has no file ${JSON.stringify(path)}`);
  return file;
}

async function compressionOf(content: ContentStore, digest: string): Promise<string> {
  for await (const chunk of content.stream(digest)) {
    const first = chunk as Buffer;
    if (first[0] === 0x1f && first[1] === 0x8b) return "+gzip";
    if (first.length >= 4 && first.readUInt32LE(0) === 0xfd2fb528) return "+zstd";
    break;
  }
  return "";
}

async function loadOciImages(
  bytes: Uint8Array,
  files: Files,
  reading: ArchiveReading,
): Promise<readonly ArchivedImage[]> {
  const index = parseManifest(bytes, mediaTypes.ociIndex);
  if (index.kind !== "index") throw new Error("invalid index.json: it lists no manifests");
  const images: ArchivedImage[] = [];
  for (const descriptor of index.manifests) {
    const manifest = await chooseManifest(descriptor, files, reading);
    if (manifest !== undefined) images.push({ manifest, names: namesOf(descriptor) });
  }
  if (images.length === 0) throw new Error("the archive has no image for this platform");
  return images;
}

/** Follows nested indexes to the manifest of an image for the platform. */
async function chooseManifest(
  descriptor: Descriptor,
  files: Files,
  reading: ArchiveReading,
): Promise<string | undefined> {
  let current: Descriptor | undefined = descriptor;
  for (let depth = 0; current !== undefined && depth < 4; depth++) {
    const bytes = await readBlob(current, files, reading.content);
    const document = parseManifest(bytes, current.mediaType);
    if (document.kind === "manifest") {
      for (const blob of [document.config, ...document.layers]) checkBlob(blob, files);
      return current.digest;
    }
    current = choosePlatform(document, reading.platform);
  }
  return undefined;
}

async function readBlob(descriptor: Descriptor, files: Files, content: ContentStore) {
  checkBlob(descriptor, files);
  return content.read(descriptor.digest, mostDocumentBytes);
}

/** Blobs are stored under their real digests: a file with another content is not found here. */
function checkBlob({ digest, size }: Descriptor, files: Files): void {
  const file = [...files.values()].find((candidate) => candidate.digest === digest);
  if (file === undefined) throw new Error(`content digest ${digest}: not found`);
  if (file.size !== size)
    throw new Error(`content ${digest} has ${file.size} bytes instead of ${size}`);
}

/** The annotations by which docker and OCI tools name images in an archive. */
function namesOf({ annotations = {} }: Descriptor): readonly Reference[] {
  const full = annotations["io.containerd.image.name"];
  const short = annotations["org.opencontainers.image.ref.name"];
  const name = full ?? short;
  // A short name is often only a tag, which says nothing of the repository.
  if (name === undefined || (full === undefined && !/[/:]/.test(name)) || isDigest(name)) return [];
  try {
    const { domain, path, tag = "latest" } = withDefaultTag(parseReference(name));
    return [{ domain, path, tag }];
  } catch {
    return [];
  }
}
