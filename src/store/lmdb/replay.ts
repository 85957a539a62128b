import type { Change, Commit } from "../keyspace.ts";
import type { RecordHeader } from "./record.ts";
import { checkFits, checkFollows } from "./record-order.ts";
import { type Slot, toSlot } from "./slot.ts";

export interface ReplayOptions {
  /** What the records follow. */
  readonly revision: number;
  /** What the key of a record was before it. */
  readonly previous: (header: RecordHeader) => Slot | undefined;
  /** Takes a commit, before the next record is looked at. */
  readonly append: (commit: Commit<Slot>) => void;
}

/** Puts commits together from the records that follow in a journal; throws where one is missing. */
export class CommitReplay {
  readonly #options: ReplayOptions;
  #revision: number;
  /** Of the revision, so far. */
  #changes: Change<Slot>[] = [];

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#revision = options.revision;
  }

  take(header: RecordHeader): void {
    if (header.revision !== this.#revision) {
      this.end();
      checkFollows(this.#revision, header);
      this.#revision = header.revision;
    }
    const previous = this.#options.previous(header);
    checkFits(header, previous, this.#changes.length);
    const current = header.type === "put" ? toSlot(header) : undefined;
    this.#changes.push({ key: header.key, current, previous });
  }

  /** Nothing follows. */
  end(): void {
    if (this.#changes.length === 0) return;
    const commit = { revision: this.#revision, changes: this.#changes };
    this.#changes = [];
    this.#options.append(commit);
  }
}
