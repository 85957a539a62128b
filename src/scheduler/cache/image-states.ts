import type { Node } from "../../api/core/v1/node/node.ts";
import type { ImageState } from "../framework/node-info.ts";

/** The number of nodes that have each image. */
export class ImageStates {
  readonly #images = new Map<string, Shared>();

  get(name: string): ImageState | undefined {
    return this.#images.get(name);
  }

  /** Counts the images of a node and returns their states, which later nodes keep updating. */
  add(node: Node): ReadonlyMap<string, ImageState> {
    const { name: nodeName = "" } = node.metadata;
    const own = new Map<string, ImageState>();
    for (const { names = [], sizeBytes = 0 } of node.status.images ?? [])
      for (const name of names) {
        let image = this.#images.get(name);
        if (!image) {
          image = new Shared(sizeBytes);
          this.#images.set(name, image);
        }
        image.on.add(nodeName);
        own.set(name, image);
      }
    return own;
  }

  remove(node: Node): void {
    for (const { names = [] } of node.status.images ?? [])
      for (const name of names) {
        const image = this.#images.get(name);
        image?.on.delete(node.metadata.name ?? "");
        if (image?.on.size === 0) this.#images.delete(name);
      }
  }
}

class Shared implements ImageState {
  readonly size: number;
  readonly on = new Set<string>();

  constructor(size: number) {
    this.size = size;
  }

  get nodes(): number {
    return this.on.size;
  }
}
