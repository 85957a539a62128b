import type { Change, Commit } from "../keyspace.ts";
import type { RecordHeader } from "./record.ts";
import { checkFits, checkFollows } from "./record-order.ts";
import { type Slot, toSlot } from "./slot.ts";

export interface ReplayOptions {
  /** The revision before the first record. */
  readonly revision: number;
  /** The previous version of a record's key. */
  readonly previous: (header: RecordHeader) => Slot | undefined;
  /** Receives a commit before the next record is read. */
  readonly append: (commit: Commit<Slot>) => void;
}

/** Assembles commits from the records of a journal; throws if one is missing. */
export class CommitReplay {
  readonly #options: ReplayOptions;
  #revision: number;
  /** The changes of the current revision so far. */
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

  /** Ends the last commit. */
  end(): void {
    if (this.#changes.length === 0) return;
    const commit = { revision: this.#revision, changes: this.#changes };
    this.#changes = [];
    this.#options.append(commit);
  }
}
