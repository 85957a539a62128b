import { formatKeyOf, type KubernetesObject } from "../resource-kind.ts";
import { compareVersions } from "../resource-version.ts";
import { endsInitialEvents, type WatchEvent } from "../watch-stream.ts";

/** The server does not know streaming lists and has started an ordinary watch. */
export class StreamingListUnsupported extends Error {
  override readonly name = "StreamingListUnsupported";

  constructor() {
    super("the server sent no bookmark after the initial events");
  }
}

/** Collects the events of a streaming list until its final bookmark; changes may be among them. */
export class InitialEvents<O> {
  readonly #transform: (object: O) => O;
  readonly #objects = new Map<string, O>();
  /** The resourceVersions at which objects were deleted meanwhile, by key. */
  readonly #deleted = new Map<string, string>();
  #version = "";

  constructor(transform: (object: O) => O) {
    this.#transform = transform;
  }

  /** The resourceVersion of the final bookmark. */
  get version(): string {
    return this.#version;
  }

  /** The objects by key; the caller may modify the map. */
  get objects(): Map<string, O> {
    return this.#objects;
  }

  /**
   * Adds events. Returns those after the final bookmark; undefined if the bookmark has not arrived yet.
   */
  take(batch: readonly WatchEvent<O>[]): readonly WatchEvent<O>[] | undefined {
    for (let at = 0; at < batch.length; at++) {
      const event = batch[at] as WatchEvent<O>;
      if (event.type !== "BOOKMARK") {
        this.#takeOne(event.type, event.object);
        continue;
      }
      if (!endsInitialEvents(event.object)) throw new StreamingListUnsupported();
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
      this.#objects.set(text, this.#transform(object));
      this.#deleted.delete(text);
    }
  }

  #knownVersion(text: string): string | undefined {
    const known = this.#objects.get(text);
    if (known === undefined) return this.#deleted.get(text);
    return (known as KubernetesObject).metadata.resourceVersion ?? "";
  }
}
