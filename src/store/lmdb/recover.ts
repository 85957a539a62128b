import { type Change, type Commit, Keyspace } from "../keyspace.ts";
import { StoreError } from "../store.ts";
import type { RecordHeader, RecordId } from "./record.ts";
import { idOf, type Slot } from "./slot.ts";

export interface Recovered {
  readonly keyspace: Keyspace<Slot>;
  /** Records that a compaction no longer had the time to remove. */
  readonly garbage: readonly RecordId[];
}

/** Builds the keys and their history from what a journal holds. */
export function recover(compacted: number, headers: Iterable<RecordHeader>): Recovered {
  const keyspace = new Keyspace<Slot>();
  const base = new Map<string, Slot>();
  const garbage: RecordId[] = [];
  const replay = new CommitReplay(keyspace, (commit) => keyspace.append(commit));
  let restored = false;
  for (const header of headers) {
    if (header.revision <= compacted) {
      settle(base, garbage, header);
      continue;
    }
    if (!restored) keyspace.restore(compacted, base.values());
    restored = true;
    replay.take(header);
  }
  if (!restored) keyspace.restore(compacted, base.values());
  replay.end();
  return { keyspace, garbage };
}

/**
 * Puts commits together from the records that follow in a journal. Not a generator: of those, a large
 * store would go through several for every record.
 */
export class CommitReplay {
  readonly #keyspace: Keyspace<Slot>;
  readonly #append: (commit: Commit<Slot>) => void;
  #revision = 0;
  /** Of the revision, so far. */
  #changes: Change<Slot>[] = [];

  /** `append` must append the commit to the keyspace. */
  constructor(keyspace: Keyspace<Slot>, append: (commit: Commit<Slot>) => void) {
    this.#keyspace = keyspace;
    this.#append = append;
  }

  take(header: RecordHeader): void {
    if (header.revision !== this.#revision) {
      this.end();
      checkNext(this.#keyspace.revision, header);
      this.#revision = header.revision;
    }
    this.#changes.push(toChange(this.#keyspace, header, this.#changes.length));
  }

  /** Nothing follows. */
  end(): void {
    if (this.#changes.length === 0) return;
    const commit = { revision: this.#revision, changes: this.#changes };
    this.#changes = [];
    this.#append(commit);
  }
}

/** Takes a record in that may be superseded by a later one before the compacted revision. */
function settle(base: Map<string, Slot>, garbage: RecordId[], header: RecordHeader): void {
  const previous = base.get(header.key);
  if (previous !== undefined) garbage.push(idOf(previous));
  if (header.type === "put") {
    base.set(header.key, toSlot(header));
  } else {
    base.delete(header.key);
    garbage.push(header);
  }
}

function toChange(keyspace: Keyspace<Slot>, header: RecordHeader, ordinal: number): Change<Slot> {
  const { key, revision } = header;
  const previous = keyspace.get(key);
  const current = header.type === "put" ? toSlot(header) : undefined;
  const version = current === undefined ? previous?.version : (previous?.version ?? 0) + 1;
  if (header.ordinal !== ordinal || header.version !== version) {
    throw new StoreError(
      "Corrupt",
      `the record ${revision}/${header.ordinal} does not fit: ${key}`,
    );
  }
  return { key, current, previous };
}

function checkNext(revision: number, header: RecordHeader): void {
  if (header.revision === revision + 1) return;
  throw new StoreError("Corrupt", `the records of revision ${revision + 1} are missing`);
}

function toSlot(header: RecordHeader): Slot {
  return {
    key: header.key,
    createRevision: header.createRevision,
    modRevision: header.revision,
    version: header.version,
    ordinal: header.ordinal,
    expiresAt: header.expiresAt,
    value: undefined,
  };
}
