import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Snapshots } from "../snapshots/snapshots.ts";
import type { ContentStore } from "./content-store.ts";
import { decompress, joined, limitBytes } from "./decompress.ts";
import type { Layer } from "./image-records.ts";
import type { Limits } from "./limits.ts";
import { SharedWork } from "./shared-work.ts";
import { Slots } from "./slots.ts";

/** Unpacks stored layers into snapshots, each once, whoever needs it. */
export class LayerUnpacker {
  readonly #content: ContentStore;
  readonly #snapshots: Snapshots;
  readonly #limits: Limits;
  readonly #work = new SharedWork<void>();
  /** More at once would only compete for processors and the disk. */
  readonly #slots = new Slots(Math.max(2, availableParallelism()));
  /** Layers whose bytes were found to expand to their diff ID: `DIGEST DIFF-ID`. */
  readonly #checked = new Set<string>();

  constructor(content: ContentStore, snapshots: Snapshots, limits: Limits) {
    this.#content = content;
    this.#snapshots = snapshots;
    this.#limits = limits;
  }

  /** Trusts layers that were checked when their image was stored. */
  trust(layers: readonly Layer[]): void {
    for (const layer of layers) this.#checked.add(keyOf(layer));
  }

  /**
   * Unpacks a layer, unless it is unpacked. The bytes are checked against the diff ID in any case: an
   * image cannot get the content of a layer by naming it.
   */
  async ensure(
    layer: Layer,
    signal?: AbortSignal,
    onBytes?: (compressedBytes: number) => void,
  ): Promise<void> {
    const work = (aborted: AbortSignal): Promise<void> =>
      this.#slots.run(() => this.#ensure(layer, aborted, onBytes), aborted);
    await this.#work.run(layer.diffId, work, signal);
    // The work that was shared may have been that of another blob with the same content.
    if (!this.#checked.has(keyOf(layer))) await this.#work.run(layer.diffId, work, signal);
  }

  /** Whether a layer is unpacked, and its bytes are known to be those. */
  async has(layer: Layer): Promise<boolean> {
    return this.#checked.has(keyOf(layer)) && (await this.#snapshots.hasLayer(layer.diffId));
  }

  async #ensure(
    layer: Layer,
    signal: AbortSignal,
    onBytes: (compressedBytes: number) => void = () => undefined,
  ): Promise<void> {
    const isUnpacked = await this.#snapshots.hasLayer(layer.diffId);
    if (isUnpacked && this.#checked.has(keyOf(layer))) return;
    const tar = await this.#tarOf(layer, signal, onBytes);
    if (isUnpacked) await check(layer, tar, signal);
    else await this.#snapshots.unpackLayer(layer.diffId, tar, signal);
    this.#checked.add(keyOf(layer));
  }

  async #tarOf({ digest }: Layer, signal: AbortSignal, onBytes: (bytes: number) => void) {
    signal.throwIfAborted();
    const size = (await this.#content.size(digest)) ?? 0;
    const { smallLayerBytes, expansion, layerBytes } = this.#limits;
    const most = Math.min(Math.max(smallLayerBytes, size * expansion), layerBytes);
    const tar = await decompress(counted(this.#content.stream(digest), onBytes));
    const message = `layer ${digest} of ${size} bytes expands to more than ${most} bytes`;
    return joined(tar, limitBytes(most, message));
  }
}

async function* counted(source: Readable, onBytes: (bytes: number) => void) {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += (chunk as Uint8Array).length;
    onBytes(bytes);
    yield chunk as Uint8Array;
  }
}

async function check(layer: Layer, tar: Readable, signal: AbortSignal): Promise<void> {
  const hash = createHash("sha256");
  tar.on("data", (chunk: Uint8Array) => hash.update(chunk));
  await finished(tar, { signal, writable: false });
  const found = `sha256:${hash.digest("hex")}`;
  if (found !== layer.diffId)
    throw new Error(`wrong diff id calculated on extraction ${JSON.stringify(found)}`);
}

const keyOf = ({ digest, diffId }: Layer): string => `${digest} ${diffId}`;
