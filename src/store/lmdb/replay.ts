import { type Change, type Commit, Keyspace } from "../keyspace.ts";
import type { Journal } from "./journal.ts";
import type { RecordHeader } from "./record.ts";
import { checkFits, checkFollows } from "./record-order.ts";
import { type Slot, toSlot } from "./slot.ts";

/** Builds keys and history, from the compacted revision up to another. */
export function replay(
  journal: Pick<Journal, "forEachHeader">,
  { compacted, upTo }: { readonly compacted: number; readonly upTo: number },
): Keyspace<Slot> {
  const keyspace = new Keyspace<Slot>();
  const versions = new Map<string, Slot>();
  const commits = new CommitReplay(keyspace, (commit) => keyspace.append(commit));
  const restore = (): void =>
    keyspace.restore({ compacted, revision: Math.max(1, compacted), versions });
  let restored = false;
  journal.forEachHeader((header) => {
    if (header.revision > upTo) return false;
    if (header.revision > compacted) {
      if (!restored) restore();
      restored = true;
      commits.take(header);
    } else if (header.type === "put") {
      versions.set(header.key, toSlot(header));
    } else {
      versions.delete(header.key);
    }
    return true;
  });
  if (!restored) restore();
  commits.end();
  return keyspace;
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
      checkFollows(this.#keyspace.revision, header);
      this.#revision = header.revision;
    }
    const { key, type } = header;
    const previous = this.#keyspace.get(key);
    checkFits(header, previous, this.#changes.length);
    const current = type === "put" ? toSlot(header) : undefined;
    this.#changes.push({ key, current, previous });
  }

  /** Nothing follows. */
  end(): void {
    if (this.#changes.length === 0) return;
    const commit = { revision: this.#revision, changes: this.#changes };
    this.#changes = [];
    this.#append(commit);
  }
}
