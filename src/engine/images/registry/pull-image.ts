import { errorMessage } from "../../../base/error-message.ts";
import type { ContentLease } from "../content-leases.ts";
import type { ContentStore } from "../content-store.ts";
import { isDigest, shortId } from "../digest.ts";
import type { Layer } from "../image-records.ts";
import type { ImageStore } from "../image-store.ts";
import type { Limits } from "../limits.ts";
import {
  choosePlatform,
  type Descriptor,
  type Manifest,
  type Platform,
  parseManifest,
} from "../manifest.ts";
import { parseImageConfig } from "../parse-image-config.ts";
import type { PullProgress } from "../pull-progress.ts";
import { fullName, type Reference } from "../reference.ts";
import type { StoredImage } from "../stored-image.ts";
import type { LayerUnpacker } from "../unpack-layers.ts";
import type { BlobDownloads } from "./blob-downloads.ts";
import type { RegistryClient, RemoteManifest } from "./registry-client.ts";
import { RegistryError } from "./registry-error.ts";

/** What a pull works with. */
export interface Pulling {
  readonly client: RegistryClient;
  readonly content: ContentStore;
  readonly store: ImageStore;
  readonly downloads: BlobDownloads;
  readonly unpacker: LayerUnpacker;
  readonly lease: ContentLease;
  readonly limits: Limits;
  readonly platform: Platform;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
}

export interface PulledImage {
  readonly image: StoredImage;
  /** The digest that the name has in the registry: of a manifest or of a list of them. */
  readonly digest: string;
  /** Whether the name meant another image before, or none. */
  readonly isNew: boolean;
}

/** Pulls an image and unpacks its layers. */
export async function pullImage(reference: Reference, pulling: Pulling): Promise<PulledImage> {
  const name = fullName(reference);
  const before = pulling.store.resolve(name)?.id;
  try {
    const target = await resolve(reference, pulling);
    const known = await storedImage(reference, target, pulling);
    const names = namesFor(reference, target.digest);
    const image =
      known ?? (await pulling.store.add(await fetchImage(reference, target, pulling), names));
    return { image, digest: target.digest, isNew: image.id !== before };
  } catch (error) {
    if (error instanceof RegistryError)
      throw error.within(`failed to pull and unpack image ${JSON.stringify(name)}`);
    pulling.signal?.throwIfAborted();
    throw new Error(
      `failed to pull and unpack image ${JSON.stringify(name)}: ${errorMessage(error)}`,
    );
  }
}

interface Target {
  readonly digest: string;
  /** The document, if it had to be fetched to know its digest. */
  readonly document?: RemoteManifest | undefined;
}

async function resolve(reference: Reference, { client, signal }: Pulling): Promise<Target> {
  try {
    const digest = await client.resolve(reference, signal);
    if (digest !== undefined) return { digest };
    const document = await client.manifest(reference, signal);
    return { digest: document.digest, document };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw error.within(`failed to resolve reference ${JSON.stringify(fullName(reference))}`);
  }
}

/** The image, if it was pulled from this repository under this digest before. */
async function storedImage(
  reference: Reference,
  { digest }: Target,
  { store, unpacker, lease, platform, signal }: Pulling,
): Promise<StoredImage | undefined> {
  const { tag: _, ...repository } = reference;
  const image = store.resolve(fullName({ ...repository, digest }));
  if (image === undefined || image.config.architecture !== platform.architecture) return undefined;
  for (const key of store.contentOf(image.id)) await lease.add(key);
  // It may have been removed meanwhile; from now on its content stays.
  if (store.resolve(image.id) === undefined) return undefined;
  for (const layer of store.recordedLayers(image.id)) await unpacker.ensure(layer, signal);
  return store.add(image.manifest, namesFor(reference, digest));
}

function namesFor({ domain, path, tag, digest: given }: Reference, digest: string): Reference[] {
  const byDigest = { domain, path, digest };
  return tag === undefined || given !== undefined ? [byDigest] : [{ domain, path, tag }, byDigest];
}

/** Stores all blobs of an image and unpacks its layers; returns the digest of its manifest. */
async function fetchImage(reference: Reference, target: Target, pulling: Pulling): Promise<string> {
  const { digest, manifest } = await fetchManifest(reference, target, pulling);
  const { client, downloads, content, lease, limits, signal } = pulling;
  const total = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  if (total > limits.imageBytes)
    throw new Error(`the layers have ${total} bytes, more than ${limits.imageBytes}`);
  await lease.add(manifest.config.digest);
  await downloads.ensure(client, manifest.config, { signal });
  const config = parseImageConfig(await content.read(manifest.config.digest));
  if (config.os !== pulling.platform.os)
    throw new Error(
      `image operating system ${JSON.stringify(config.os)} cannot be used on this platform`,
    );
  const diffIds = config.rootfs.diff_ids;
  if (diffIds.length !== manifest.layers.length)
    throw new Error(
      `mismatched image rootfs and manifest layers: ${diffIds.length} and ${manifest.layers.length}`,
    );
  await fetchLayers(manifest, diffIds, pulling);
  return digest;
}

/** Fetches the manifest for the platform, through lists if need be, and stores all documents. */
async function fetchManifest(reference: Reference, target: Target, pulling: Pulling) {
  const { client, content, lease, platform, signal } = pulling;
  let wanted = target.digest;
  let fetched = target.document;
  for (let depth = 0; depth < 4; depth++) {
    const { tag: _, ...repository } = reference;
    fetched ??= await client.manifest({ ...repository, digest: wanted }, signal);
    await lease.add(fetched.digest);
    await content.put(fetched.bytes);
    const document = parseManifest(fetched.bytes, fetched.mediaType);
    if (document.kind === "manifest") return { digest: fetched.digest, manifest: document };
    const chosen = choosePlatform(document, platform);
    if (chosen === undefined)
      throw new RegistryError("NotFound", "no match for platform in manifest: not found");
    wanted = chosen.digest;
    fetched = undefined;
  }
  throw new Error("manifest lists are nested too deep");
}

async function fetchLayers(
  manifest: Manifest,
  diffIds: readonly string[],
  pulling: Pulling,
): Promise<void> {
  const layers = new Map<string, Descriptor & Layer>();
  for (const [at, blob] of manifest.layers.entries()) {
    const diffId = diffIds[at];
    if (isDigest(diffId)) layers.set(`${blob.digest} ${diffId}`, { ...blob, diffId });
  }
  for (const { digest } of layers.values()) report(pulling, digest, "Pulling fs layer");
  // The first error aborts the other layers, and all have ended before the pull does.
  const abort = new AbortController();
  const signal = pulling.signal ? AbortSignal.any([pulling.signal, abort.signal]) : abort.signal;
  const ended = await Promise.allSettled(
    [...layers.values()].map(async (layer) => {
      try {
        await fetchLayer(layer, { ...pulling, signal });
      } catch (error) {
        abort.abort(error);
        throw error;
      }
    }),
  );
  const failed = ended.find((layer) => layer.status === "rejected");
  if (failed !== undefined) throw abort.signal.aborted ? abort.signal.reason : failed.reason;
}

async function fetchLayer(layer: Descriptor & Layer, pulling: Pulling): Promise<void> {
  const { client, content, downloads, unpacker, lease, signal } = pulling;
  const { digest, diffId, size: total } = layer;
  await lease.add(digest);
  await lease.add(diffId);
  if ((await content.size(digest)) === total && (await unpacker.has(layer))) {
    report(pulling, digest, "Already exists");
    return;
  }
  await downloads.ensure(client, layer, {
    signal,
    onBytes: (current) => {
      report(pulling, digest, "Downloading", { current, total });
      if (current === total) report(pulling, digest, "Verifying Checksum");
    },
  });
  report(pulling, digest, "Download complete");
  await unpacker.ensure(layer, signal, (current) =>
    report(pulling, digest, "Extracting", { current, total }),
  );
  report(pulling, digest, "Pull complete");
}

function report(
  { onProgress }: Pulling,
  digest: string,
  status: PullProgress["status"],
  bytes: Pick<PullProgress, "current" | "total"> = {},
): void {
  onProgress?.({ id: shortId(digest), status, ...bytes });
}
