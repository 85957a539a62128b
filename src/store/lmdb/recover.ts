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
  const iterator = headers[Symbol.iterator]();
  let next = iterator.next();
  for (; !next.done && next.value.revision <= compacted; next = iterator.next()) {
    settle(base, garbage, next.value);
  }
  keyspace.restore(compacted, base.values());
  for (const commit of commitsOf(keyspace, rest(next, iterator))) keyspace.append(commit);
  return { keyspace, garbage };
}

function* rest<T>(first: IteratorResult<T>, iterator: Iterator<T>): Generator<T> {
  for (let next = first; !next.done; next = iterator.next()) yield next.value;
}

/** The commits that follow in a journal; each must be appended before the next is asked for. */
export function* commitsOf(
  keyspace: Keyspace<Slot>,
  headers: Iterable<RecordHeader>,
): Generator<Commit<Slot>> {
  let commit: { revision: number; changes: Change<Slot>[] } | undefined;
  for (const header of headers) {
    if (commit?.revision !== header.revision) {
      if (commit !== undefined) yield commit;
      commit = { revision: header.revision, changes: [] };
      checkNext(keyspace.revision, header);
    }
    commit.changes.push(toChange(keyspace, header, commit.changes.length));
  }
  if (commit !== undefined) yield commit;
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
