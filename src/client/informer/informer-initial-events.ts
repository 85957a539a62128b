import { formatKeyOf, type KubernetesObject } from "../resource-kind.ts";
import { compareVersions } from "../resource-version.ts";
import { endsInitialEvents, type WatchEvent } from "../watch-stream.ts";

/** A server that takes a streaming list for an ordinary watch. */
export class StreamNotKnown extends Error {
  override readonly name = "StreamNotKnown";

  constructor() {
    super("the server did not close the initial events with a bookmark");
  }
}

/** What a streaming list has told until its closing bookmark, in which changes may be among the objects. */
export class InitialEvents<O> {
  readonly #keep: (object: O) => O;
  readonly #objects = new Map<string, O>();
  /** The versions at which objects were deleted that are not there any more. */
  readonly #deleted = new Map<string, string>();
  #version = "";

  constructor(keep: (object: O) => O) {
    this.#keep = keep;
  }

  /** The version of the closing bookmark. */
  get version(): string {
    return this.#version;
  }

  /** The objects by key, of which nothing is kept here. */
  get objects(): Map<string, O> {
    return this.#objects;
  }

  /** Takes events; what comes after the closing bookmark is given back, undefined where it has not come. */
  take(batch: readonly WatchEvent<O>[]): readonly WatchEvent<O>[] | undefined {
    for (let at = 0; at < batch.length; at++) {
      const event = batch[at] as WatchEvent<O>;
      if (event.type !== "BOOKMARK") {
        this.#takeOne(event.type, event.object);
        continue;
      }
      if (!endsInitialEvents(event.object)) throw new StreamNotKnown();
      this.#version = event.object.metadata.resourceVersion;
      return batch.slice(at + 1);
    }
    return undefined;
  }

  #takeOne(type: "ADDED" | "MODIFIED" | "DELETED", object: O): void {
    const { metadata } = object as Partial<KubernetesObject>;
    if (!metadata) return;
    const text = formatKeyOf(object);
    const { resourceVersion: version = "" } = metadata;
    const known = this.#knownVersion(text);
    if (known !== undefined && (compareVersions(version, known) ?? 1) < 0) return;
    if (type === "DELETED") {
      this.#objects.delete(text);
      this.#deleted.set(text, version);
    } else {
      this.#objects.set(text, this.#keep(object));
      this.#deleted.delete(text);
    }
  }

  #knownVersion(text: string): string | undefined {
    const known = this.#objects.get(text);
    if (known === undefined) return this.#deleted.get(text);
    return (known as KubernetesObject).metadata.resourceVersion ?? "";
  }
}
