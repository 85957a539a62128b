import { onAbort } from "../base/on-abort.ts";
import { StoreError, type Subscriber, type WatchBatch, type WatchOptions } from "./store.ts";

/** A part of the history. */
export interface Replay {
  readonly batches: readonly WatchBatch[];
  /** The last revision it covers, whether or not that touches the prefix. */
  readonly reached: number;
  /** Whether nothing follows yet. */
  readonly end: boolean;
}

/** The source of a watch: history in parts on demand, then live batches. */
export interface WatchSource {
  replay(from: number): Replay;
  subscribe(from: number, subscriber: Subscriber): () => void;
  /** If history is pushed, too: the current revision when the subscription began. */
  pastUntil?(): number;
}

const defaultBuffer = 1024;

/**
 * Converts pushed batches to an async iterator. History is read on demand, and only live batches are
 * buffered, up to a limit.
 */
export class Watch implements AsyncIterator<WatchBatch> {
  readonly #source: WatchSource;
  readonly #limit: number;
  readonly #buffer: WatchBatch[] = [];
  /** Pending reads; if there are any, the buffer is empty. */
  readonly #readers: Reader[] = [];
  /** The last revision read from history; undefined once batches are live. */
  #replayed: number | undefined;
  #read: number;
  #outcome: { readonly error: StoreError | undefined } | undefined;
  #unsubscribe: (() => void) | undefined;
  readonly #unfollow: (() => void) | undefined;

  constructor(options: WatchOptions, source: WatchSource) {
    this.#source = source;
    this.#limit = options.buffer ?? defaultBuffer;
    this.#replayed = options.from;
    this.#read = options.from;
    this.#unfollow = onAbort(options.signal, () => this.#abort());
    this.#fill();
  }

  next(): Promise<IteratorResult<WatchBatch>> {
    this.#fill();
    const batch = this.#buffer.shift();
    if (batch !== undefined) {
      this.#read = batch.revision;
      return Promise.resolve({ done: false, value: batch });
    }
    if (this.#outcome !== undefined) return outcome(this.#outcome.error);
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<WatchBatch>> {
    this.#abort();
    return Promise.resolve({ done: true, value: undefined });
  }

  #abort(): void {
    this.#buffer.length = 0;
    this.#finish(undefined);
  }

  /** Reads history if nothing is buffered; at its end, subscribes. */
  #fill(): void {
    try {
      while (this.#replayed !== undefined && this.#buffer.length === 0) {
        if (this.#outcome !== undefined) return;
        const { batches, reached, end } = this.#source.replay(this.#replayed);
        this.#buffer.push(...batches);
        this.#replayed = reached;
        if (end && batches.length === 0) this.#goLive(reached);
      }
    } catch (error) {
      this.#finish(error as StoreError);
    }
  }

  #goLive(from: number): void {
    this.#replayed = undefined;
    this.#unsubscribe = this.#source.subscribe(from, {
      batch: (batch) => this.#push(batch),
      end: (error) => this.#finish(error),
    });
  }

  #push(batch: WatchBatch): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      this.#read = batch.revision;
      reader.resolve({ done: false, value: batch });
    } else if (this.#buffer.push(batch) > this.#limit && this.#isSlow()) {
      this.#buffer.length = 0;
      const message = `the watcher is too slow: more than ${this.#limit} batches wait to be read`;
      this.#finish(new StoreError("SlowWatcher", message, { revision: this.#read }));
    }
  }

  /** Whether the buffer of live batches exceeds its limit. */
  #isSlow(): boolean {
    const past = this.#source.pastUntil?.() ?? 0;
    return (this.#buffer.at(-1 - this.#limit)?.revision ?? 0) > past;
  }

  #finish(error: StoreError | undefined): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = { error };
    this.#unsubscribe?.();
    this.#unfollow?.();
    for (const reader of this.#readers.splice(0)) {
      if (error === undefined) reader.resolve({ done: true, value: undefined });
      else reader.reject(error);
    }
  }
}

interface Reader {
  resolve(result: IteratorResult<WatchBatch>): void;
  reject(error: StoreError): void;
}

function outcome(error: StoreError | undefined): Promise<IteratorResult<WatchBatch>> {
  return error === undefined
    ? Promise.resolve({ done: true, value: undefined })
    : Promise.reject(error);
}
