import type { InformerHandler } from "./informer-options.ts";

/** What became of an object, or of all of them. */
export type Delta<O> =
  | { readonly type: "added"; readonly object: O }
  | { readonly type: "updated"; readonly object: O; readonly old: O }
  | { readonly type: "deleted"; readonly object: O; readonly isStale: boolean }
  /** What is there when a handler starts, and what is told again at a resync. */
  | { readonly type: "present" | "resync"; readonly objects: readonly O[] };

/**
 * What was received and a handler was not told yet, in order: nothing is left out or merged. After it
 * was told of all, the handler knows what the cache holds.
 *
 * ```
 * push present [a, b]   received 2
 * push updated a        received 3
 * tell, tell            told 2: added a, added b
 * tell                  told 3: updated a
 * ```
 */
export class DeltaQueue<O> {
  readonly handler: InformerHandler<O>;
  #waiting: Delta<O>[] = [];
  /** Where in `#waiting` the next one is; what is before it was told. */
  #head = 0;
  /** How many objects of the one at the head were told, where it is of several. */
  #within = 0;
  #received = 0;
  #told = 0;

  constructor(handler: InformerHandler<O>) {
    this.handler = handler;
  }

  /** How many calls of the handler what was received comes to. */
  get received(): number {
    return this.#received;
  }

  /** How many of them were made. */
  get told(): number {
    return this.#told;
  }

  push(delta: Delta<O>): void {
    const count = "objects" in delta ? delta.objects.length : 1;
    if (count === 0) return;
    this.#waiting.push(delta);
    this.#received += count;
  }

  /** Calls the handler with what is next, if there is something; throws what it throws. */
  tell(): unknown {
    const delta = this.#waiting[this.#head];
    if (delta === undefined) return undefined;
    this.#told++;
    if ("objects" in delta) return this.#tellOneOf(delta.type, delta.objects);
    this.#advance();
    if (delta.type === "added") return this.handler.added?.(delta.object, false);
    if (delta.type === "updated") return this.handler.updated?.(delta.object, delta.old);
    return this.handler.deleted?.(delta.object, delta.isStale);
  }

  /** Forgets what was not told. */
  clear(): void {
    this.#waiting = [];
    this.#head = 0;
    this.#within = 0;
    this.#told = this.#received;
  }

  #tellOneOf(type: "present" | "resync", objects: readonly O[]): unknown {
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
      // What was told must not be held on to for as long as something waits.
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
  }
}
