import { type KubernetesObject, keyOf, keyText } from "./resource-kind.ts";
import { compareVersions } from "./resource-version.ts";
import { endsInitialEvents, type WatchEvent } from "./watch-stream.ts";

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
  /** Without an object: it was deleted at that version. */
  readonly #latest = new Map<string, { readonly version: string; readonly object?: O }>();
  #version = "";

  constructor(keep: (object: O) => O) {
    this.#keep = keep;
  }

  /** The version of the closing bookmark. */
  get version(): string {
    return this.#version;
  }

  objects(): readonly O[] {
    const objects: O[] = [];
    for (const { object } of this.#latest.values()) if (object !== undefined) objects.push(object);
    return objects;
  }

  /** Takes events; what comes after the closing bookmark is given back, undefined where it has not come. */
  take(batch: readonly WatchEvent<O>[]): readonly WatchEvent<O>[] | undefined {
    for (const [at, event] of batch.entries()) {
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
    const text = keyText(keyOf({ metadata }));
    const { resourceVersion: version = "" } = metadata;
    const known = this.#latest.get(text);
    if (known && (compareVersions(version, known.version) ?? 1) < 0) return;
    this.#latest.set(
      text,
      type === "DELETED" ? { version } : { version, object: this.#keep(object) },
    );
  }
}
