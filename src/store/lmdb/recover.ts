import { Keyspace, type Past } from "../keyspace.ts";
import type { Journal } from "./journal.ts";
import { readPast } from "./read-past.ts";
import type { RecordHeader } from "./record.ts";
import { checkFits, checkFollows } from "./record-order.ts";
import { idOf, type Slot, toSlot } from "./slot.ts";
import { Superseded } from "./superseded.ts";

export interface Recovered {
  readonly keyspace: Keyspace<Slot>;
  /** The superseded records up to the keyspace's revision. */
  readonly superseded: Superseded;
}

/**
 * Builds the keys from a journal; their history is read on demand. If another process may remove records
 * meanwhile, `oldest` returns up to which revision.
 */
export function recover(
  journal: Pick<Journal, "compacted" | "forEachHeader" | "readHeader">,
  oldest: () => number = () => 0,
): Recovered {
  const { compacted } = journal;
  const scan = new Scan(compacted);
  journal.forEachHeader((header) => {
    scan.take(header);
    return true;
  });
  const { revision, versions, superseded } = scan;
  const keyspace = new Keyspace<Slot>();
  const past = (since: number): Past<Slot> =>
    readPast(journal, { since: Math.max(since, oldest()), upTo: revision, superseded });
  keyspace.restore({ compacted, revision, versions, ...(revision > compacted && { past }) });
  return { keyspace, superseded };
}

/** Reads records in order and keeps the newest of each key; throws if one is missing. */
class Scan {
  readonly versions = new Map<string, Slot>();
  readonly superseded = new Superseded();
  readonly #compacted: number;
  #revision: number;
  /** The ordinal of the next record of the revision. */
  #ordinal = 0;

  constructor(compacted: number) {
    this.#compacted = compacted;
    this.#revision = Math.max(1, compacted);
  }

  get revision(): number {
    return this.#revision;
  }

  take(header: RecordHeader): void {
    const { key, revision } = header;
    const previous = this.versions.get(key);
    if (revision > this.#compacted) this.#checkNext(header, previous);
    if (previous !== undefined) this.superseded.add(revision, idOf(previous));
    if (header.type === "put") {
      this.versions.set(key, toSlot(header));
    } else {
      this.versions.delete(key);
      this.superseded.add(revision, header);
    }
  }

  #checkNext(header: RecordHeader, previous: Slot | undefined): void {
    if (header.revision !== this.#revision) {
      checkFollows(this.#revision, header);
      this.#revision = header.revision;
      this.#ordinal = 0;
    }
    checkFits(header, previous, this.#ordinal++);
  }
}
