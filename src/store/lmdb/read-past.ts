import type { Commit, Past } from "../keyspace.ts";
import { StoreError } from "../store.ts";
import type { Journal } from "./journal.ts";
import type { RecordHeader, RecordId } from "./record.ts";
import { CommitReplay } from "./replay.ts";
import { type Slot, toSlot } from "./slot.ts";
import type { Superseded } from "./superseded.ts";

export interface PastOptions {
  /** The commits after this revision, */
  readonly since: number;
  /** and up to this one. */
  readonly upTo: number;
  /** Lists the records that these commits have superseded. */
  readonly superseded: Superseded;
}

/** Reads commits from a journal, and from earlier ones only the records that they superseded. */
export function readPast(
  journal: Pick<Journal, "forEachHeader" | "readHeader">,
  { since, upTo, superseded }: PastOptions,
): Past<Slot> {
  const commits: Commit<Slot>[] = [];
  const before = new Map<string, Slot>();
  const ids = superseded.after(since);
  const replay = new CommitReplay({
    revision: Math.max(1, since),
    previous: (header) => {
      const id = supersededBy(header, ids);
      if (id === undefined) return undefined;
      return before.get(header.key) ?? slotAt(journal, id, header.key);
    },
    append: (commit) => void commits.push(commit),
  });
  journal.forEachHeader((header) => {
    if (header.revision > upTo) return false;
    replay.take(header);
    if (header.type === "put") before.set(header.key, toSlot(header));
    else before.delete(header.key);
    return true;
  }, since);
  replay.end();
  return { since, commits };
}

/** The record that another one superseded, if its key existed: the next in order. */
function supersededBy(
  { type, version }: RecordHeader,
  ids: Generator<RecordId>,
): RecordId | undefined {
  if (type === "put") return version === 1 ? undefined : ids.next().value;
  const { value } = ids.next();
  // A deletion has no version to read.
  ids.next();
  return value;
}

function slotAt(journal: Pick<Journal, "readHeader">, id: RecordId, key: string): Slot {
  const header = journal.readHeader(id);
  if (header.key === key) return toSlot(header);
  const message = `the record ${id.revision}/${id.ordinal} is of ${header.key}, and must be of ${key}`;
  throw new StoreError("Corrupt", message);
}
