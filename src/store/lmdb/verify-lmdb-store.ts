import { StoreError } from "../store.ts";
import { Journal } from "./journal.ts";
import type { RecordHeader } from "./record.ts";

/** The result of a verification, with the first violation. */
export interface Verification {
  readonly records: number;
  readonly keys: number;
  /** The number of keys that expire. */
  readonly leases: number;
  /** Records that a compaction has not removed yet. */
  readonly leftOver: number;
  readonly revision: number;
  readonly compacted: number;
  /** A description; undefined if the store is intact. */
  readonly violation: string | undefined;
}

/** Verifies every record of a store on disk and their order; another process may write meanwhile. */
export async function verifyLmdbStore(path: string): Promise<Verification> {
  let journal: Journal;
  try {
    journal = await Journal.openForReading(path);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...new Verifier(0).counts(), violation: error.message };
  }
  try {
    journal.renew();
    return verifyRecords(journal.compacted, journal.records());
  } finally {
    await journal.close();
  }
}

/** The number of records per turn of the event loop. */
const turnRecords = 200;

/** Verifies a journal that nobody writes, in steps that let other work of the process run. */
export async function verifyInTurns(
  journal: Journal,
  isStopped: () => boolean = () => false,
): Promise<Verification> {
  const verifier = new Verifier(journal.compacted);
  let count = 0;
  try {
    for (const record of journal.records()) {
      verifier.take(record);
      if (++count % turnRecords === 0) await new Promise((resolve) => setImmediate(resolve));
      if (isStopped()) throw new Error("the store was not read completely");
    }
    return { ...verifier.counts(), violation: undefined };
  } catch (error) {
    return { ...verifier.counts(), violation: reasonOf(error) };
  }
}

/** Verifies the records of a journal. */
export function verifyRecords(compacted: number, records: Iterable<FoundRecord>): Verification {
  const verifier = new Verifier(compacted);
  try {
    for (const record of records) verifier.take(record);
  } catch (error) {
    return { ...verifier.counts(), violation: reasonOf(error) };
  }
  return { ...verifier.counts(), violation: undefined };
}

interface FoundRecord {
  readonly header: RecordHeader;
  readonly valueBytes: number;
}

/** Checks records in order, and throws at the first violation. */
class Verifier {
  readonly #compacted: number;
  /** The newest record of each existing key so far. */
  readonly #keys = new Map<string, RecordHeader>();
  /** The keys of the current commit. */
  readonly #inCommit = new Set<string>();
  #last: RecordHeader | undefined;
  #revision: number;
  #records = 0;
  #leftOver = 0;

  constructor(compacted: number) {
    this.#compacted = compacted;
    this.#revision = Math.max(1, compacted);
  }

  take({ header, valueBytes }: FoundRecord): void {
    this.#records++;
    this.#checkPlace(header);
    this.#checkForm(header, valueBytes);
    const previous = this.#keys.get(header.key);
    if (header.revision > this.#compacted) this.#checkNext(header, previous);
    else this.#checkKept(header, previous);
    if (header.type === "put") this.#keys.set(header.key, header);
    else this.#keys.delete(header.key);
    this.#last = header;
  }

  counts(): Omit<Verification, "violation"> {
    let leases = 0;
    for (const { expiresAt } of this.#keys.values()) if (expiresAt > 0) leases++;
    return {
      records: this.#records,
      keys: this.#keys.size,
      leases,
      leftOver: this.#leftOver,
      revision: this.#revision,
      compacted: this.#compacted,
    };
  }

  /**
   * Checks the order of commits, that a key occurs once per commit, and that nothing is missing after
   * the compacted revision.
   */
  #checkPlace(header: RecordHeader): void {
    const { revision, ordinal, key } = header;
    const last = this.#last;
    if (revision < 2) fail(header, "stands before the first revision that a commit can have");
    if (last !== undefined && !comesAfter(header, last)) fail(header, `follows ${nameOf(last)}`);
    if (last?.revision !== revision) this.#inCommit.clear();
    if (this.#inCommit.has(key)) fail(header, `writes ${key} a second time in its commit`);
    this.#inCommit.add(key);
    if (revision <= this.#compacted) return;
    if (revision > this.#revision + 1) {
      throw new Error(`the records of revision ${this.#revision + 1} are missing`);
    }
    const expected = last?.revision === revision ? last.ordinal + 1 : 0;
    if (ordinal !== expected) {
      throw new Error(`the record ${revision}/${expected} is missing`);
    }
    this.#revision = revision;
  }

  /** Checks the fields of a record. */
  #checkForm(header: RecordHeader, valueBytes: number): void {
    const { type, key, createRevision, version, expiresAt, revision } = header;
    if (createRevision > revision) {
      fail(header, `says that ${key} was created later, at ${createRevision}`);
    }
    if (createRevision < 2 || version < 1) {
      fail(header, `says that ${key} was created at ${createRevision} and has version ${version}`);
    }
    const writes = type === "put" ? version - 1 : version;
    if (writes > revision - createRevision) {
      fail(
        header,
        `says that ${key} was written ${version} times in ${revision - createRevision + 1} revisions`,
      );
    }
    if (type === "put" && (version === 1) !== (createRevision === revision)) {
      fail(header, `says that ${key} was created at ${createRevision} and has version ${version}`);
    }
    if (type === "delete" && valueBytes > 0) fail(header, "deletes a key and has a value");
    if (type === "delete" && expiresAt > 0) fail(header, "deletes a key and has a time to live");
  }

  /** After the compacted revision, the previous record of a key must be known. */
  #checkNext(header: RecordHeader, previous: RecordHeader | undefined): void {
    const { type, key, createRevision, version } = header;
    if (type === "delete" && previous === undefined) {
      fail(header, `deletes ${key}, which was not there`);
    }
    const expectedVersion =
      type === "delete" ? previous?.version : previous === undefined ? 1 : previous.version + 1;
    if (version !== expectedVersion) {
      fail(header, `says that ${key} has version ${version}, and it must be ${expectedVersion}`);
    }
    const expectedCreation = previous?.createRevision ?? header.revision;
    if (createRevision !== expectedCreation) {
      fail(
        header,
        `says that ${key} was created at ${createRevision}, and it was at ${expectedCreation}`,
      );
    }
  }

  /** Before it, superseded records may be missing or not yet removed. */
  #checkKept(header: RecordHeader, previous: RecordHeader | undefined): void {
    const { type, key, createRevision, version } = header;
    if (previous !== undefined) this.#leftOver++;
    if (type === "delete") this.#leftOver++;
    if (previous?.createRevision !== createRevision) return;
    const grows = type === "delete" ? version >= previous.version : version > previous.version;
    if (!grows) {
      fail(header, `says that ${key} has version ${version}, which it had before`);
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function comesAfter(a: RecordHeader, b: RecordHeader): boolean {
  return a.revision > b.revision || (a.revision === b.revision && a.ordinal > b.ordinal);
}

function nameOf({ revision, ordinal }: RecordHeader): string {
  return `${revision}/${ordinal}`;
}

function fail(header: RecordHeader, problem: string): never {
  throw new Error(`the record ${nameOf(header)} ${problem}`);
}
