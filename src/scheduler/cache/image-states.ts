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
    for (const { name, size } of imagesOf(node)) {
      let image = this.#images.get(name);
      if (!image) {
        image = new Shared(size);
        this.#images.set(name, image);
      }
      image.on.add(nodeName);
      own.set(name, image);
    }
    return own;
  }

  remove(node: Node): void {
    for (const { name } of imagesOf(node)) {
      const image = this.#images.get(name);
      image?.on.delete(node.metadata.name ?? "");
      if (image?.on.size === 0) this.#images.delete(name);
    }
  }
}

/** The images of a node, once per name. An image whose tag another one has taken has null names on the wire. */
const imagesOf = ({ status }: Node): readonly { readonly name: string; readonly size: number }[] =>
  (status.images ?? []).flatMap(({ names, sizeBytes = 0 }) =>
    (names ?? []).map((name) => ({ name, size: sizeBytes })),
  );

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
