import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { ContentLease } from "./content-leases.ts";
import type { ContentStore } from "./content-store.ts";
import { decompress, joined } from "./decompress.ts";
import { type Descriptor, mediaTypes, type Platform, parseManifest } from "./manifest.ts";
import type { ImageConfig, ImageHistory, ImageRunConfig, StoredImage } from "./stored-image.ts";

/** A new image: another image with one more layer, or a layer alone. */
export interface NewImage {
  readonly base?: StoredImage | undefined;
  /** The layer as a tar archive, which may be compressed. */
  readonly layer: Readable;
  readonly config: ImageRunConfig;
  readonly platform: Platform;
  readonly createdAt: Date;
  readonly author?: string | undefined;
  readonly history?: Pick<ImageHistory, "comment" | "created_by"> | undefined;
}

/** Stores the blobs of a new image; returns the digest of its manifest. */
export async function buildImage(
  image: NewImage,
  content: ContentStore,
  lease: ContentLease,
): Promise<string> {
  const store = async (value: unknown): Promise<string> => {
    const digest = await content.put(JSON.stringify(value));
    await lease.add(digest);
    return digest;
  };
  const { base, author } = image;
  const created = image.createdAt.toISOString();
  const layer = await storeLayer(image.layer, content, lease);
  const below = base === undefined ? [] : await layersOf(content, base.manifest);
  const isEmpty = base !== undefined && emptyTars.has(layer.diffId);
  const config: ImageConfig = {
    ...base?.config,
    ...(base === undefined ? image.platform : {}),
    ...{ architecture: base?.config.architecture ?? image.platform.architecture },
    ...{ os: base?.config.os ?? image.platform.os },
    created,
    ...(author === undefined ? {} : { author }),
    config: image.config,
    rootfs: {
      type: "layers",
      diff_ids: [...(base?.layers ?? []), ...(isEmpty ? [] : [layer.diffId])],
    },
    history: [
      ...(base?.config.history ?? []),
      {
        created,
        ...(author === undefined ? {} : { author }),
        ...image.history,
        ...(isEmpty ? { empty_layer: true } : {}),
      },
    ],
  };
  const digest = await store(config);
  return store({
    schemaVersion: 2,
    mediaType: mediaTypes.ociManifest,
    config: { mediaType: mediaTypes.ociConfig, digest, size: (await content.size(digest)) ?? 0 },
    layers: isEmpty ? below : [...below, layer.descriptor],
  });
}

/** Archives without members, in the lengths in which programs write them. */
const emptyTars: ReadonlySet<string> = new Set(
  [1024, 10240].map(
    (size) => `sha256:${createHash("sha256").update(Buffer.alloc(size)).digest("hex")}`,
  ),
);

async function layersOf(content: ContentStore, manifest: string): Promise<readonly Descriptor[]> {
  const document = parseManifest(await content.read(manifest));
  return document.kind === "manifest" ? document.layers : [];
}

/** Stores a layer compressed, and hashes it uncompressed. */
async function storeLayer(source: Readable, content: ContentStore, lease: ContentLease) {
  const hash = createHash("sha256");
  const ingest = await content.begin();
  try {
    const tar = Readable.from(hashed(await decompress(source), hash), { objectMode: false });
    // The fastest level: what was committed is read again much more often than it is sent.
    for await (const chunk of joined(tar, createGzip({ level: 1 })))
      await ingest.write(chunk as Uint8Array);
    const size = ingest.offset;
    const digest = await ingest.commit();
    await lease.add(digest);
    const descriptor = { mediaType: `${mediaTypes.ociLayer}+gzip`, digest, size };
    return { descriptor, diffId: `sha256:${hash.digest("hex")}` };
  } finally {
    await ingest.close();
  }
}

async function* hashed(source: Readable, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk as Uint8Array);
    yield chunk as Uint8Array;
  }
}
