import type { Change, Commit, Keyspace, Stamp } from "./keyspace.ts";
import {
  type Entry,
  StoreError,
  type StoreEvent,
  type SubscribeOptions,
  type Subscriber,
  type WatchBatch,
  type WatchOptions,
} from "./store.ts";
import { type Replay, Watch } from "./watch.ts";

/** The number of commits that a lagging subscriber reads from the history at a time. */
const chunk = 256;

/**
 * Delivers commits to the subscribers of their keys: history from the keyspace, then published commits.
 */
export class Hub<V extends Stamp> {
  readonly #keyspace: Keyspace<V>;
  readonly #toEntry: (version: V) => Entry;
  /** By prefix: subscribers of the same prefix share each batch. No set is empty. */
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  /** Commits that a subscriber made during the delivery of another commit. */
  readonly #queue: Commit<V>[] = [];
  #delivering: boolean = false;
  #closed: StoreError | undefined;

  constructor(keyspace: Keyspace<V>, toEntry: (version: V) => Entry) {
    this.#keyspace = keyspace;
    this.#toEntry = toEntry;
  }

  /** Delivers a commit that was just appended to the keyspace; commits arrive in order. */
  publish(commit: Commit<V>): void {
    this.#queue.push(commit);
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const event = memoize((change: Change<V>, revision: number) => this.#event(change, revision));
      for (const [prefix, group] of this.#subscriptions)
        this.#deliver(group, prefix, { next, event });
    }
    this.#delivering = false;
  }

  subscribe(prefix: string, options: SubscribeOptions, subscriber: Subscriber): () => void {
    const subscription: Subscription = {
      prefix,
      progress: options.progress ?? false,
      subscriber,
      cursor: options.from,
      live: false,
    };
    const group = this.#subscriptions.get(prefix);
    if (group) group.add(subscription);
    else this.#subscriptions.set(prefix, new Set([subscription]));
    // Not queueMicrotask: test runners replace it together with timers.
    void Promise.resolve().then(() => this.#catchUp(subscription));
    return () => void this.#remove(subscription);
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return {
      [Symbol.asyncIterator]: () =>
        new Watch(options, {
          subscribe: (from, subscriber) => this.subscribe(prefix, { ...options, from }, subscriber),
          replay: (from) => this.#replay(prefix, from, options.progress ?? false),
        }),
    };
  }

  /** Ends every subscription, and each that is added later. */
  close(error: StoreError): void {
    this.#closed = error;
    for (const group of this.#subscriptions.values())
      for (const subscription of group) this.#end(subscription, error);
  }

  /** Reads a limited number of commits after a revision. */
  #replay(prefix: string, from: number, progress: boolean): Replay {
    if (this.#closed !== undefined) throw this.#closed;
    const commits = this.#keyspace.commitsAfter(from, chunk);
    const batches: WatchBatch[] = [];
    for (const commit of commits) {
      const events = this.#events(commit, prefix, (change, revision) =>
        this.#event(change, revision),
      );
      if (progress || events.length > 0) batches.push({ revision: commit.revision, events });
    }
    const end = commits.length < chunk;
    // Not every revision is a commit: the first is not.
    const reached = end ? this.#keyspace.revision : (commits.at(-1)?.revision ?? from);
    return { batches, reached, end };
  }

  #catchUp(subscription: Subscription): void {
    try {
      while (!subscription.live && this.#has(subscription)) {
        const { prefix, progress, cursor } = subscription;
        const { batches, reached, end } = this.#replay(prefix, cursor, progress);
        subscription.cursor = reached;
        // A commit that a subscriber makes meanwhile is delivered after the earlier ones.
        subscription.live = end && reached === this.#keyspace.revision && batches.length === 0;
        for (const batch of batches) this.#hand(subscription, batch);
      }
    } catch (error) {
      this.#end(subscription, asStoreError(error));
    }
  }

  /** Delivers a commit to the subscribers of a prefix that have received all earlier ones. */
  #deliver(group: ReadonlySet<Subscription>, prefix: string, { next, event }: Published<V>): void {
    const { revision } = next;
    const isTouched = touches(next, prefix);
    let batch: WatchBatch | undefined;
    for (const subscription of group) {
      if (!subscription.live || revision <= subscription.cursor) continue;
      subscription.cursor = revision;
      if (!isTouched && !subscription.progress) continue;
      try {
        batch ??= { revision, events: this.#events(next, prefix, event) };
        this.#hand(subscription, batch);
      } catch (error) {
        this.#end(subscription, asStoreError(error));
      }
    }
  }

  #has(subscription: Subscription): boolean {
    return this.#subscriptions.get(subscription.prefix)?.has(subscription) ?? false;
  }

  /** Returns false if it was already removed. */
  #remove(subscription: Subscription): boolean {
    const group = this.#subscriptions.get(subscription.prefix);
    if (!group?.delete(subscription)) return false;
    if (group.size === 0) this.#subscriptions.delete(subscription.prefix);
    return true;
  }

  #hand(subscription: Subscription, batch: WatchBatch): void {
    if (!this.#has(subscription)) return;
    try {
      subscription.subscriber.batch(batch);
    } catch (cause) {
      this.#end(subscription, new StoreError("Invalid", "the subscriber threw", { cause }));
    }
  }

  #end(subscription: Subscription, error: StoreError): void {
    if (!this.#remove(subscription)) return;
    try {
      subscription.subscriber.end(error);
    } catch {
      // The subscription is over; an error in its `end` must not affect others.
    }
  }

  #events(commit: Commit<V>, prefix: string, event: ToEvent<V>): StoreEvent[] {
    const events: StoreEvent[] = [];
    for (const change of commit.changes) {
      if (change.key.startsWith(prefix)) events.push(event(change, commit.revision));
    }
    return events;
  }

  #event({ key, current, previous }: Change<V>, revision: number): StoreEvent {
    return {
      type: current === undefined ? "delete" : "put",
      key,
      entry: current && this.#toEntry(current),
      previous: previous && this.#toEntry(previous),
      revision,
    };
  }
}

interface Subscription {
  readonly prefix: string;
  readonly progress: boolean;
  readonly subscriber: Subscriber;
  /** The newest revision that was delivered, or does not touch the prefix. */
  cursor: number;
  /** Whether it has received the history, and gets published commits. */
  live: boolean;
}

type ToEvent<V extends Stamp> = (change: Change<V>, revision: number) => StoreEvent;

function touches<V extends Stamp>({ changes }: Commit<V>, prefix: string): boolean {
  for (const { key } of changes) if (key.startsWith(prefix)) return true;
  return false;
}

interface Published<V extends Stamp> {
  readonly next: Commit<V>;
  readonly event: ToEvent<V>;
}

/** Creates the event of a change once for all subscribers. */
function memoize<V extends Stamp>(make: ToEvent<V>): ToEvent<V> {
  const events = new Map<Change<V>, StoreEvent>();
  return (change, revision) => {
    const known = events.get(change) ?? make(change, revision);
    events.set(change, known);
    return known;
  };
}

function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError("Unavailable", "the history could not be read", { cause: error });
}
