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

/** How many commits a reader that lags takes from the history at a time. */
const chunk = 256;

/** Brings commits to those who subscribed to their keys: the past from the keyspace, then what is published. */
export class Hub<V extends Stamp> {
  readonly #keyspace: Keyspace<V>;
  readonly #toEntry: (version: V) => Entry;
  readonly #subscriptions = new Set<Subscription>();
  /** Commits that a subscriber made while another commit is being delivered. */
  readonly #queue: Commit<V>[] = [];
  #delivering: boolean = false;
  #closed: StoreError | undefined;

  constructor(keyspace: Keyspace<V>, toEntry: (version: V) => Entry) {
    this.#keyspace = keyspace;
    this.#toEntry = toEntry;
  }

  /** Delivers a commit that the keyspace has just taken in; commits arrive in order. */
  publish(commit: Commit<V>): void {
    this.#queue.push(commit);
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const event = memoize((change: Change<V>, revision: number) => this.#event(change, revision));
      for (const subscription of this.#subscriptions) {
        if (subscription.live) this.#deliver(subscription, next, event);
      }
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
    this.#subscriptions.add(subscription);
    // Not queueMicrotask, which runners of tests replace together with timers.
    void Promise.resolve().then(() => this.#catchUp(subscription));
    return () => void this.#subscriptions.delete(subscription);
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

  /** Ends every subscription, also those to come. */
  close(error: StoreError): void {
    this.#closed = error;
    for (const subscription of this.#subscriptions) this.#end(subscription, error);
  }

  /** The commits after a revision, up to a number that is looked at in one go. */
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
    return { batches, reached: commits.at(-1)?.revision ?? from, end: commits.length < chunk };
  }

  #catchUp(subscription: Subscription): void {
    try {
      while (!subscription.live && this.#subscriptions.has(subscription)) {
        const { prefix, progress, cursor } = subscription;
        const { batches, reached, end } = this.#replay(prefix, cursor, progress);
        subscription.cursor = reached;
        // What a subscriber commits meanwhile is published to it only after what came before.
        subscription.live = end && reached === this.#keyspace.revision && batches.length === 0;
        for (const batch of batches) this.#hand(subscription, batch);
      }
    } catch (error) {
      this.#end(subscription, asStoreError(error));
    }
  }

  #deliver(subscription: Subscription, commit: Commit<V>, event: ToEvent<V>): void {
    const { revision } = commit;
    if (revision <= subscription.cursor) return;
    subscription.cursor = revision;
    try {
      const events = this.#events(commit, subscription.prefix, event);
      if (events.length > 0 || subscription.progress)
        this.#hand(subscription, { revision, events });
    } catch (error) {
      this.#end(subscription, asStoreError(error));
    }
  }

  #hand(subscription: Subscription, batch: WatchBatch): void {
    if (!this.#subscriptions.has(subscription)) return;
    try {
      subscription.subscriber.batch(batch);
    } catch (cause) {
      this.#end(subscription, new StoreError("Invalid", "the subscriber threw", { cause }));
    }
  }

  #end(subscription: Subscription, error: StoreError): void {
    if (!this.#subscriptions.delete(subscription)) return;
    try {
      subscription.subscriber.end(error);
    } catch {
      // It has been told all there is to tell, and others wait.
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
  /** The newest revision that was delivered or found not to touch the prefix. */
  cursor: number;
  /** Has seen all of the past, and takes what is published. */
  live: boolean;
}

type ToEvent<V extends Stamp> = (change: Change<V>, revision: number) => StoreEvent;

/** Makes the event of a change once for all who see it. */
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
