import type { StoreEvent } from "../../store/store.ts";
import type { StoredEntry } from "../objects/stored.ts";

/** How many changes are kept, so that watches of a kind can be resumed once it is served. */
const historyLength = 1000;

/**
 * The entries of the store that belong to no served kind, as they were at one revision, and the changes
 * since then.
 */
export class Unclaimed {
  #entries = new Map<string, StoredEntry>();
  #events: StoreEvent[] = [];
  /** The latest change of each key. */
  #changed = new Map<string, StoredEntry | undefined>();
  #since: number;
  /** Whether a fork shares the maps, so that they must be copied before a change. */
  #isShared = false;

  constructor(revision: number) {
    this.#since = revision;
  }

  /** All changes after this revision are known. */
  get since(): number {
    return this.#since;
  }

  /** The entry as it is now. */
  get(key: string): StoredEntry | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#entries.get(key);
  }

  /** All entries as they are now. */
  *entries(): Iterable<StoredEntry> {
    for (const entry of this.#entries.values()) if (!this.#changed.has(entry.key)) yield entry;
    for (const entry of this.#changed.values()) if (entry) yield entry;
  }

  /** A copy for a forked server, which changes independently. */
  fork(): Unclaimed {
    const fork = new Unclaimed(this.#since);
    fork.#entries = this.#entries;
    fork.#events = this.#events;
    fork.#changed = this.#changed;
    fork.#isShared = true;
    this.#isShared = true;
    return fork;
  }

  load(entry: StoredEntry): void {
    this.#own();
    this.#entries.set(entry.key, entry);
  }

  apply(event: StoreEvent): void {
    this.#own();
    this.#events.push(event);
    this.#changed.set(event.key, event.entry);
    if (this.#events.length > 2 * historyLength) this.#forget(historyLength);
  }

  /** Removes and returns the entries under a prefix, and the changes after them. */
  claim(prefix: string): { readonly entries: StoredEntry[]; readonly events: StoreEvent[] } {
    this.#own();
    const isWanted = ({ key }: { readonly key: string }): boolean => key.startsWith(prefix);
    const entries = [...this.#entries.values()].filter(isWanted);
    for (const { key } of entries) this.#entries.delete(key);
    const events = this.#events.filter(isWanted);
    this.#events = this.#events.filter((event) => !isWanted(event));
    for (const key of [...this.#changed.keys()]) if (isWanted({ key })) this.#changed.delete(key);
    return { entries, events };
  }

  /** Adds entries as of a revision, up to which all other entries are known, too. */
  putBack(entries: Iterable<StoredEntry>, revision: number): void {
    this.#own();
    this.#forget(this.#events.length);
    this.#changed.clear();
    this.#since = revision;
    for (const entry of entries) this.load(entry);
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#entries = new Map(this.#entries);
    this.#events = this.#events.slice();
    this.#changed = new Map(this.#changed);
    this.#isShared = false;
  }

  #forget(count: number): void {
    for (const { key, entry, revision } of this.#events.splice(0, count)) {
      if (entry) this.#entries.set(key, entry);
      else this.#entries.delete(key);
      this.#since = revision;
    }
  }
}
