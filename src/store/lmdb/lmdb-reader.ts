import type { Clock, Timer } from "../../base/clock.ts";
import { Hub } from "../hub.ts";
import type { Keyspace } from "../keyspace.ts";
import type { Expiring } from "../snapshot/snapshot-source.ts";
import {
  type CommitOutcome,
  closedError,
  type Entry,
  type ListOptions,
  type ListResult,
  type Store,
  StoreError,
  type SubscribeOptions,
  type Subscriber,
  type WatchBatch,
  type WatchOptions,
} from "../store.ts";
import { damaged } from "./database.ts";
import { Journal } from "./journal.ts";
import { listSlots, readSlot } from "./read-slots.ts";
import { recover } from "./recover.ts";
import { CommitReplay } from "./replay.ts";
import type { Slot } from "./slot.ts";

/** The interval at which watches check for commits of another process. */
const pollMs = 100;

/** Opens a store for reading while another process may write to it. */
export async function openLmdbReader(options: {
  readonly path: string;
  readonly clock: Clock;
}): Promise<Store & Expiring> {
  const { path, clock } = options;
  const journal = await Journal.openForReading(path);
  try {
    journal.renew();
    return new LmdbReader(journal, recoverShared(journal), clock);
  } catch (cause) {
    await journal.close();
    throw damaged(path, cause);
  }
}

/**
 * A store that another process may write, as of each read: the journal only grows, so that new commits
 * are those after the last known revision.
 */
class LmdbReader implements Store, Expiring {
  readonly #journal: Journal;
  readonly #clock: Clock;
  #keyspace: Keyspace<Slot>;
  #hub: Hub<Slot>;
  #timer: Timer | undefined;
  #closed: boolean = false;

  constructor(journal: Journal, keyspace: Keyspace<Slot>, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
    this.#keyspace = keyspace;
    this.#hub = this.#newHub();
  }

  async currentRevision(): Promise<number> {
    this.#catchUp();
    return this.#keyspace.revision;
  }

  async get(key: string, revision?: number): Promise<Entry | undefined> {
    this.#catchUp();
    const slot = this.#keyspace.get(key, revision);
    return slot && this.#load(slot);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#catchUp();
    return listSlots({ keyspace: this.#keyspace, journal: this.#journal }, prefix, options);
  }

  async commit(): Promise<CommitOutcome> {
    throw readOnly();
  }

  async compact(): Promise<void> {
    throw readOnly();
  }

  expiresAt({ key }: Entry, revision: number): number {
    return this.#keyspace.get(key, revision)?.expiresAt ?? 0;
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    this.#poll();
    return this.#hub.watch(prefix, options);
  }

  subscribe(prefix: string, options: SubscribeOptions, subscriber: Subscriber): () => void {
    this.#poll();
    return this.#hub.subscribe(prefix, options, subscriber);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    this.#hub.close(closedError());
    await this.#journal.close();
  }

  /** Reads new commits; all reads of the same turn see the same state. */
  #catchUp(): void {
    if (this.#closed) throw closedError();
    this.#journal.renew();
    const { compacted } = this.#journal;
    if (compacted > this.#keyspace.revision) {
      this.#startAgain(compacted);
      return;
    }
    const replay = new CommitReplay({
      revision: this.#keyspace.revision,
      previous: ({ key }) => this.#keyspace.get(key),
      append: (commit) => {
        this.#keyspace.append(commit);
        this.#hub.publish(commit);
      },
    });
    this.#journal.forEachHeader((header) => {
      replay.take(header);
      return true;
    }, this.#keyspace.revision);
    replay.end();
    if (compacted > this.#keyspace.compacted) this.#keyspace.compact(compacted);
  }

  /** Some commits were compacted before they were read: watches have missed them. */
  #startAgain(compacted: number): void {
    this.#keyspace = recoverShared(this.#journal);
    const message = `revisions before ${compacted} have been compacted before they could be read`;
    this.#hub.close(new StoreError("Compacted", message, { revision: compacted }));
    this.#hub = this.#newHub();
  }

  #newHub(): Hub<Slot> {
    return new Hub(this.#keyspace, (slot) => this.#load(slot));
  }

  #poll(): void {
    if (this.#closed) return;
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(pollMs, () => this.#poll());
    try {
      this.#catchUp();
    } catch (error) {
      this.#timer.cancel();
      this.#hub.close(
        error instanceof StoreError
          ? error
          : new StoreError("Unavailable", "the store cannot be read", { cause: error }),
      );
    }
  }

  #load(slot: Slot): Entry {
    return readSlot(this.#journal, slot);
  }
}

/** Builds the keys of a journal that another process may be compacting. */
function recoverShared(journal: Journal): Keyspace<Slot> {
  return recover(journal, () => journal.compacted).keyspace;
}

function readOnly(): StoreError {
  return new StoreError("Invalid", "the store was opened for reading only");
}
