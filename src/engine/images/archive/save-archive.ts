import { Readable } from "node:stream";
import { tarEnd, tarHeader, tarPadding } from "../../../platform/tar/tar-writer.ts";
import type { ContentStore } from "../content-store.ts";
import { hexOf } from "../digest.ts";
import { type Manifest, mediaTypes, parseManifest } from "../manifest.ts";
import { familiarName, familiarRepository, fullName, type Reference } from "../reference.ts";
import type { StoredImage } from "../stored-image.ts";

/** An image to be saved, with the tags to save it under. */
export interface SavedImage {
  readonly image: StoredImage;
  readonly tags: readonly Reference[];
}

/**
 * Images as an archive that has both forms: OCI's layout, and docker's `manifest.json` that lists the same
 * blobs. Blobs are as they are stored, so that digests stay the same.
 */
export function saveArchive(content: ContentStore, images: readonly SavedImage[]): Readable {
  return Readable.from(archive(content, images), { objectMode: false });
}

async function* archive(
  content: ContentStore,
  images: readonly SavedImage[],
): AsyncGenerator<Uint8Array> {
  const described: DescribedImage[] = [];
  for (const { image, tags } of images) {
    const bytes = await content.read(image.manifest);
    const manifest = parseManifest(bytes);
    if (manifest.kind === "manifest") described.push({ image, tags, manifest, bytes });
  }
  const digests = new Set(
    described.flatMap(({ image, manifest }) => [
      ...manifest.layers.map(({ digest }) => digest),
      manifest.config.digest,
      image.manifest,
    ]),
  );
  yield tarHeader({ name: "blobs/", type: "folder" });
  yield tarHeader({ name: "blobs/sha256/", type: "folder" });
  for (const digest of [...digests].sort()) yield* blobMember(content, digest);
  yield* document("index.json", ociIndex(described));
  yield* document("manifest.json", described.map(dockerEntry));
  yield* document("oci-layout", { imageLayoutVersion: "1.0.0" });
  const repositories = legacyRepositories(described);
  if (Object.keys(repositories).length > 0) yield* document("repositories", repositories);
  yield tarEnd;
}

interface DescribedImage extends SavedImage {
  readonly manifest: Manifest;
  readonly bytes: Buffer;
}

const blobPath = (digest: string): string => `blobs/sha256/${hexOf(digest)}`;

async function* blobMember(content: ContentStore, digest: string): AsyncGenerator<Uint8Array> {
  const size = await content.size(digest);
  if (size === undefined) throw new Error(`content digest ${digest}: not found`);
  yield tarHeader({ name: blobPath(digest), size });
  for await (const chunk of content.stream(digest)) yield chunk as Uint8Array;
  yield tarPadding(size);
}

function* document(name: string, value: unknown): Generator<Uint8Array> {
  const bytes = Buffer.from(JSON.stringify(value));
  yield tarHeader({ name, size: bytes.length });
  yield bytes;
  yield tarPadding(bytes.length);
}

function ociIndex(images: readonly DescribedImage[]): unknown {
  const manifests = images.flatMap(({ image, tags, manifest, bytes }) => {
    const descriptor = {
      mediaType: manifest.mediaType,
      digest: image.manifest,
      size: bytes.length,
    };
    if (tags.length === 0) return [descriptor];
    return tags.map((tag) => ({
      ...descriptor,
      annotations: {
        "io.containerd.image.name": fullName(tag),
        "org.opencontainers.image.ref.name": tag.tag ?? "latest",
      },
    }));
  });
  return { schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests };
}

const dockerEntry = ({ image, tags, manifest }: DescribedImage): unknown => ({
  Config: blobPath(image.id),
  RepoTags: tags.length === 0 ? null : tags.map(familiarName),
  Layers: manifest.layers.map(({ digest }) => blobPath(digest)),
  LayerSources: Object.fromEntries(
    manifest.layers.map(({ mediaType, size, digest }, at) => [
      image.layers[at],
      { mediaType, size, digest },
    ]),
  ),
});

/** What docker read before it had manifests: the top layer of each tag. */
function legacyRepositories(images: readonly DescribedImage[]): Record<string, object> {
  const repositories: Record<string, Record<string, string>> = {};
  for (const { tags, manifest } of images)
    for (const tag of tags) {
      const name = familiarRepository(tag);
      const top = manifest.layers.at(-1)?.digest;
      if (top !== undefined)
        repositories[name] = { ...repositories[name], [tag.tag ?? "latest"]: hexOf(top) };
    }
  return repositories;
}
