import type { CommitOutcome, Entry, Store, StoreEvent, Subscriber, WatchBatch } from "../store.ts";
import type { Opened, Transformer } from "./transformer.ts";

/** How the values of a store are transformed; it may change at any time. */
export interface Encryption {
  /** The transformer of a key's value; undefined if it is stored as it is. */
  transformerOf(key: string): Transformer | undefined;
  /** The path of a key in the store, which may be authenticated. */
  pathOf(key: string): Uint8Array;
  /** Called with values that could not be read. */
  readonly onUnreadable: (key: string, error: unknown) => void;
}

/**
 * A store whose values are encrypted in another one. A value that cannot be decrypted is given as it is stored, so that
 * one of them does not hide the others: who reads it finds that it is no object.
 */
export function encryptedStore(store: Store, encryption: Encryption): Store {
  const { transformerOf, pathOf, onUnreadable } = encryption;
  /** Values by their encrypted form, as long as a store holds that: what this process wrote is not decrypted. */
  const written = new WeakMap<Uint8Array, Uint8Array>();

  const openedValue = (key: string, stored: Uint8Array): Opened | Promise<Opened> => {
    const transformer = transformerOf(key);
    if (!transformer) return { value: stored, isStale: false };
    const unread = (error: unknown): Opened => {
      onUnreadable(key, error);
      return { value: stored, isStale: false };
    };
    try {
      const opened = transformer.open(stored, pathOf(key));
      return opened instanceof Promise ? opened.catch(unread) : opened;
    } catch (error) {
      return unread(error);
    }
  };

  const read = (entry: Entry): Entry | Promise<Entry> => {
    const known = written.get(entry.value);
    if (known) return withValue(entry, known);
    const opened = openedValue(entry.key, entry.value);
    if (opened instanceof Promise) return opened.then(({ value }) => withValue(entry, value));
    return withValue(entry, opened.value);
  };

  /** Previous values are decrypted when they are needed, which is hardly ever. */
  const readEvent = (event: StoreEvent): StoreEvent | Promise<StoreEvent> => {
    const { entry, previous } = event;
    const before = previous && lazily(previous, read);
    const done = (now: Entry | undefined): StoreEvent => ({
      ...event,
      entry: now,
      previous: before,
    });
    const now = entry && read(entry);
    return now instanceof Promise ? now.then(done) : done(now);
  };

  const readBatch = (batch: WatchBatch): WatchBatch | Promise<WatchBatch> => {
    const events = batch.events.map(readEvent);
    if (events.every((event) => !(event instanceof Promise)))
      return { ...batch, events: events as StoreEvent[] };
    return Promise.all(events).then((all) => ({ ...batch, events: all }));
  };

  return {
    currentRevision: () => store.currentRevision(),
    async get(key, revision) {
      const entry = await store.get(key, revision);
      return entry && read(entry);
    },
    async list(prefix, options) {
      const result = await store.list(prefix, options);
      const entries = result.entries.map(read);
      const isReady = entries.every((entry) => !(entry instanceof Promise));
      return { ...result, entries: isReady ? (entries as Entry[]) : await Promise.all(entries) };
    },
    async commit(ops) {
      const sealed = ops.map((op) => {
        const transformer = op.type === "put" ? transformerOf(op.key) : undefined;
        if (op.type !== "put" || !transformer) return op;
        const value = transformer.seal(op.value, pathOf(op.key));
        if (value !== op.value) written.set(value, op.value);
        return { ...op, value };
      });
      const outcome: CommitOutcome = await store.commit(sealed);
      if (outcome.ok || !outcome.current) return outcome;
      return { ...outcome, current: await read(outcome.current) };
    },
    async *watch(prefix, options) {
      for await (const batch of store.watch(prefix, options)) yield await readBatch(batch);
    },
    subscribe: (prefix, options, subscriber) =>
      subscribeReading(store, [prefix, options, subscriber], readBatch),
    async isStale(key) {
      const entry = await store.get(key);
      return entry !== undefined && (await openedValue(key, entry.value)).isStale;
    },
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
  };
}

/** Batches arrive in order: after one for which a key must be asked for, the others wait. */
function subscribeReading(
  store: Store,
  [prefix, options, subscriber]: readonly [string, Parameters<Store["subscribe"]>[1], Subscriber],
  readBatch: (batch: WatchBatch) => WatchBatch | Promise<WatchBatch>,
): () => void {
  let waiting: Promise<void> | undefined;
  let isEnded = false;
  const inOrder = (work: () => void | Promise<void>): void => {
    const outcome = waiting ? waiting.then(work) : work();
    if (!(outcome instanceof Promise)) return;
    const turn = outcome.then(() => {
      if (waiting === turn) waiting = undefined;
    });
    waiting = turn;
  };
  const deliver = (batch: WatchBatch): void => {
    if (!isEnded) subscriber.batch(batch);
  };
  const end = store.subscribe(prefix, options, {
    batch: (batch) =>
      inOrder(() => {
        const read = readBatch(batch);
        return read instanceof Promise ? read.then(deliver) : deliver(read);
      }),
    end: (error) =>
      inOrder(() => {
        if (!isEnded) subscriber.end(error);
      }),
  });
  return () => {
    isEnded = true;
    end();
  };
}

const withValue = (entry: Entry, value: Uint8Array): Entry =>
  value === entry.value ? entry : { ...entry, value };

/** An entry whose value is read on first need; if that takes a key from elsewhere, it stays as it is stored. */
function lazily(entry: Entry, read: (entry: Entry) => Entry | Promise<Entry>): Entry {
  let value: Uint8Array | undefined;
  return {
    ...entry,
    get value() {
      if (value === undefined) {
        const opened = read(entry);
        value = opened instanceof Promise ? entry.value : opened.value;
      }
      return value;
    },
  };
}
