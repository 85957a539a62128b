import { createHash } from "node:crypto";
import { finished } from "node:stream/promises";
import type { Snapshots } from "../snapshots/snapshots.ts";
import type { ContentStore } from "./content-store.ts";
import { decompress, joined, limitBytes } from "./decompress.ts";
import type { Layer } from "./image-store.ts";
import type { Limits } from "./limits.ts";
import { SharedWork } from "./shared-work.ts";

/** Unpacks stored layers into snapshots, each once, whoever needs it. */
export class LayerUnpacker {
  readonly #content: ContentStore;
  readonly #snapshots: Snapshots;
  readonly #limits: Limits;
  readonly #work = new SharedWork<void>();
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
  async ensure(layer: Layer, signal?: AbortSignal): Promise<void> {
    await this.#work.run(keyOf(layer), (aborted) => this.#ensure(layer, aborted), signal);
  }

  async #ensure(layer: Layer, signal: AbortSignal): Promise<void> {
    if (!(await this.#snapshots.hasLayer(layer.diffId)))
      await this.#snapshots.unpackLayer(layer.diffId, await this.#tarOf(layer, signal), signal);
    else if (!this.#checked.has(keyOf(layer))) await this.#check(layer, signal);
    this.#checked.add(keyOf(layer));
  }

  async #check(layer: Layer, signal: AbortSignal): Promise<void> {
    const hash = createHash("sha256");
    const tar = await this.#tarOf(layer, signal);
    tar.on("data", (chunk: Uint8Array) => hash.update(chunk));
    await finished(tar, { signal, writable: false });
    const found = `sha256:${hash.digest("hex")}`;
    if (found !== layer.diffId)
      throw new Error(`wrong diff id calculated on extraction ${JSON.stringify(found)}`);
  }

  async #tarOf({ digest }: Layer, signal: AbortSignal) {
    signal.throwIfAborted();
    const size = (await this.#content.size(digest)) ?? 0;
    const most = Math.max(this.#limits.smallLayerBytes, size * this.#limits.expansion);
    const tar = await decompress(this.#content.stream(digest));
    return joined(
      tar,
      limitBytes(
        Math.min(most, this.#limits.layerBytes),
        `layer ${digest} of ${size} bytes expands to more than ${Math.min(most, this.#limits.layerBytes)} bytes`,
      ),
    );
  }
}

const keyOf = ({ digest, diffId }: Layer): string => `${digest} ${diffId}`;
