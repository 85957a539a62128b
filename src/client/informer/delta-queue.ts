import type { InformerHandler } from "./informer-options.ts";

/** A change of an object, or a replay of all objects. */
export type Delta<O> =
  | { readonly type: "added"; readonly object: O }
  | { readonly type: "updated"; readonly object: O; readonly old: O }
  | { readonly type: "deleted"; readonly object: O; readonly isStale: boolean }
  /** The objects that exist when a handler is added, or those that a resync replays. */
  | { readonly type: "present" | "resync"; readonly objects: readonly O[] };

/**
 * The pending calls of one handler, in order: no delta is dropped or merged. Once all are delivered, the
 * handler has seen the same objects as the cache holds.
 *
 * ```
 * push present [a, b]              received 2
 * push updated a                   received 3
 * deliverNext, deliverNext         delivered 2: added a, added b
 * deliverNext                      delivered 3: updated a
 * ```
 */
export class DeltaQueue<O> {
  readonly handler: InformerHandler<O>;
  #waiting: Delta<O>[] = [];
  /** The index of the next delta in `#waiting`; those before it are delivered. */
  #head = 0;
  /** The number of delivered objects of the delta at the head, if it has several. */
  #within = 0;
  #received = 0;
  #delivered = 0;

  constructor(handler: InformerHandler<O>) {
    this.handler = handler;
  }

  /** The number of handler calls that the received deltas require. */
  get received(): number {
    return this.#received;
  }

  /** The number of handler calls that were made. */
  get delivered(): number {
    return this.#delivered;
  }

  push(delta: Delta<O>): void {
    const count = "objects" in delta ? delta.objects.length : 1;
    if (count === 0) return;
    this.#waiting.push(delta);
    this.#received += count;
  }

  /** Calls the handler with the next object, if there is one; throws what the handler throws. */
  deliverNext(): unknown {
    const delta = this.#waiting[this.#head];
    if (delta === undefined) return undefined;
    this.#delivered++;
    if ("objects" in delta) return this.#deliverOneOf(delta.type, delta.objects);
    this.#advance();
    if (delta.type === "added") return this.handler.added?.(delta.object, false);
    if (delta.type === "updated") return this.handler.updated?.(delta.object, delta.old);
    return this.handler.deleted?.(delta.object, delta.isStale);
  }

  /** Drops all pending calls. */
  clear(): void {
    this.#waiting = [];
    this.#head = 0;
    this.#within = 0;
    this.#delivered = this.#received;
  }

  #deliverOneOf(type: "present" | "resync", objects: readonly O[]): unknown {
    const object = objects[this.#within++] as O;
    if (this.#within === objects.length) this.#advance();
    if (type === "present") return this.handler.added?.(object, true);
    return this.handler.updated?.(object, object);
  }

  #advance(): void {
    this.#within = 0;
    this.#head++;
    if (this.#head === this.#waiting.length) {
      this.#waiting = [];
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 > this.#waiting.length) {
      // Free the delivered deltas: they would keep old objects in memory while the queue is not empty.
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
  }
}
