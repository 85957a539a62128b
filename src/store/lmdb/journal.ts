import { statSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import {
  checkDirectory,
  dataFile,
  lockFile,
  prepareDirectory,
  syncDirectory,
} from "./data-directory.ts";
import {
  type Database,
  damaged,
  type OpenDatabaseOptions,
  openDatabase,
  sizeOf,
} from "./database.ts";
import {
  checkFormat,
  currentFormat,
  encodeMark,
  type Format,
  markId,
  readMark,
  upgrade,
} from "./format.ts";
import { claim, markOwned, release } from "./owner.ts";
import {
  decodeHeader,
  decodeValue,
  type EncodedRecord,
  encodeId,
  type RecordHeader,
  type RecordId,
  valueLength,
} from "./record.ts";

/**
 * All changes that are not superseded or not yet compacted, by revision, in one LMDB database.
 *
 * One transaction at a time, without `overlappingSync`: LMDB writes and syncs the pages, then writes the
 * meta page through a file opened with O_DSYNC. Only then does a write resolve.
 */
export class Journal {
  readonly #path: string;
  readonly #format: Format;
  readonly #noSync: boolean;
  readonly #onClose: () => void;
  #db: Database;
  /** Identifies the open data and lock file. */
  #files: string;
  /** Whether another file has replaced this one: writes to it would be lost. */
  #isReplaced = false;
  /** Closing of the previous file. */
  #closing: Promise<void> = Promise.resolve();

  private constructor(
    path: string,
    db: Database,
    { format, noSync = false, onClose = () => undefined }: Opening,
  ) {
    this.#path = path;
    this.#format = format;
    this.#noSync = noSync;
    this.#files = filesIn(path);
    this.#db = db;
    this.#onClose = onClose;
  }

  /** Opens it as the only writer; upgrades an older format. */
  static async open(
    path: string,
    format: Format = currentFormat,
    { noSync = false }: Pick<OpenDatabaseOptions, "noSync"> = {},
  ): Promise<Journal> {
    await prepareDirectory(path).catch((cause: unknown) => {
      throw damaged(path, cause);
    });
    const db = openDatabase(path, { readOnly: false, noSync });
    let journal: Journal | undefined;
    try {
      claim(db, path);
      journal = new Journal(path, db, { format, noSync, onClose: () => release(path) });
      await journal.#identify(path);
      return journal;
    } catch (error) {
      await (journal ?? db).close();
      throw damaged(path, error);
    }
  }

  /** Opens it for reading while another process may write. */
  static async openForReading(path: string, format: Format = currentFormat): Promise<Journal> {
    await checkDirectory(path).catch((cause: unknown) => {
      throw damaged(path, cause);
    });
    // Looked up before opening: `renew` then notices files that replace them meanwhile.
    const files = filesIn(path);
    const db = openDatabase(path, { readOnly: true });
    try {
      const journal = new Journal(path, db, { format });
      journal.#files = files;
      checkFormat(db, path, format);
      return journal;
    } catch (error) {
      await db.close();
      throw damaged(path, error);
    }
  }

  /**
   * Lets the reads of this turn of the event loop see one state, the newest, also after a replacement of
   * the file.
   */
  renew(): void {
    const files = filesIn(this.#path);
    if (files !== this.#files) {
      this.#files = files;
      void this.#db.close();
      this.#db = openDatabase(this.#path, { readOnly: true });
    }
    this.#db.resetReadTxn();
  }

  /** Superseded records may be missing up to this revision. */
  get compacted(): number {
    return readMark(this.#record(markId), this.#format.version) ?? 0;
  }

  /** The size of its file, and how much of it is free. */
  get size(): { readonly bytes: number; readonly freeBytes: number } {
    return sizeOf(this.#db);
  }

  /** The used bytes of its file. */
  get usedBytes(): number {
    const { bytes, freeBytes } = this.size;
    return bytes - freeBytes;
  }

  /** The number of records. */
  get count(): number {
    return this.#db.getStats().entryCount - 1;
  }

  /** Copies it to a directory, without free pages. */
  async copyTo(directory: string): Promise<void> {
    await this.#db.backup(directory, true);
  }

  /**
   * Replaces its file by another with the same content. If that fails in the middle, nothing is written
   * until `startAgain` has completed it.
   */
  async replaceBy(file: string): Promise<void> {
    const old = await open(join(this.#path, dataFile), "r");
    try {
      await rename(file, join(this.#path, dataFile));
      this.#isReplaced = true;
      await this.#moveOn();
    } finally {
      // Closing the last handle of a large file blocks until its blocks are freed: do not delay writers.
      this.#closing = this.#closing.then(() => old.close());
    }
  }

  async #moveOn(): Promise<void> {
    // The lock file belongs to the old file: a reader of the new file with the old lock file never sees
    // another commit. It is replaced in one step, so that a reader finds either of the two.
    const lock = join(this.#path, lockFile);
    await writeFile(`${lock}.new`, "", { mode: 0o600 });
    await rename(`${lock}.new`, lock);
    await syncDirectory(this.#path);
    const old = this.#db;
    const db = openDatabase(this.#path, { readOnly: false, noSync: this.#noSync });
    claim(db, this.#path);
    this.#db = db;
    this.#isReplaced = false;
    this.#closing = old.close().catch(() => undefined);
  }

  /** The revision of the last record; 0 if there is none. */
  get lastRevision(): number {
    this.#db.resetReadTxn();
    for (const id of this.#db.getKeys({ reverse: true, limit: 1 })) return id.readUIntBE(0, 6);
    return 0;
  }

  /**
   * Appends records and removes others, some of which may already be missing, in one transaction;
   * resolves when it is durable.
   */
  async append(
    records: readonly EncodedRecord[],
    removed: readonly RecordId[] = [],
  ): Promise<void> {
    if (records.length + removed.length === 0) return;
    const written = await this.#transaction((db) => {
      const puts = records.map(({ id, record }) => db.put(id, record, appending));
      for (const id of removed) db.remove(encodeId(id)).catch(() => undefined);
      return puts;
    });
    if (written.includes(false)) throw new Error("lmdb found an unexpected record");
  }

  /** Writes records in any order, in one transaction. */
  async insert(records: readonly EncodedRecord[]): Promise<void> {
    await this.#transaction((db) => records.map(({ id, record }) => db.put(id, record)));
  }

  async writeCompacted(revision: number): Promise<void> {
    await this.#transaction((db) => [db.put(markId, encodeMark(this.#format.version, revision))]);
  }

  readValue(id: RecordId): Uint8Array {
    const key = encodeId(id);
    return decodeValue(key, this.#record(key) ?? missing(id));
  }

  readHeader(id: RecordId): RecordHeader {
    const key = encodeId(id);
    return decodeHeader(key, this.#record(key) ?? missing(id));
  }

  /**
   * Visits the headers of all records, or of those after a revision, oldest first, until `visit` returns
   * false. Not a generator, for speed: opening a store visits every record.
   */
  forEachHeader(visit: (header: RecordHeader) => boolean, after = 0): void {
    const start = encodeId({ revision: after + 1, ordinal: 0 });
    for (const { key, value } of this.#db.getRange({ start })) {
      if (!visit(decodeHeader(key, value))) break;
    }
  }

  /** The encoded records after a revision: about `limit`, with complete commits. */
  encodedAfter(revision: number, limit: number): EncodedRecord[] {
    const start = encodeId({ revision: revision + 1, ordinal: 0 });
    const records: EncodedRecord[] = [];
    for (const { key, value } of this.#db.getRange({ start })) {
      if (records.length >= limit && key.readUInt16BE(6) === 0) break;
      records.push({ id: key, record: Buffer.from(value.subarray(0, value.length)) });
    }
    return records;
  }

  /** All records, oldest first, with the length of their values. */
  *records(): Generator<{ readonly header: RecordHeader; readonly valueBytes: number }> {
    const start = encodeId({ revision: 0, ordinal: 1 });
    for (const { key, value } of this.#db.getRange({ start })) {
      yield { header: decodeHeader(key, value), valueBytes: valueLength(value) };
    }
  }

  /** Returns a buffer that the next read overwrites. */
  #record(id: Buffer): Buffer | undefined {
    return this.#db.getBinaryFast(id);
  }

  async close(): Promise<void> {
    await this.#closing;
    await this.#db.close();
    this.#onClose();
  }

  /**
   * Reopens the database after a failed write, because lmdb's write queue is then unusable. The files
   * stay open and claimed meanwhile.
   */
  async startAgain(): Promise<void> {
    if (this.#isReplaced) {
      await this.#moveOn();
      return;
    }
    const old = this.#db;
    this.#db = openDatabase(this.#path, { readOnly: false, noSync: this.#noSync });
    await old.close();
  }

  /** Writes in one transaction; resolves when it is durable, and fails with the error of the disk. */
  async #transaction(write: (db: Database) => Promise<boolean>[]): Promise<boolean[]> {
    if (this.#isReplaced) throw notOpenYet();
    let parts: Promise<boolean>[] = [];
    const whole = this.#db.batch(() => {
      parts = write(this.#db);
    });
    try {
      return await Promise.all([whole, ...parts]);
    } catch (error) {
      throw await reasonOf(error);
    }
  }

  /** Marks a new database, upgrades an older one, and throws if it is not a store. */
  async #identify(path: string): Promise<void> {
    if (this.#db.getStats().entryCount === 0) await this.writeCompacted(0);
    else upgrade(this.#db, path, this.#format);
    if (await markOwned(path)) await syncDirectory(path);
  }
}

/** Identifies the data and lock file in a directory, to notice a replacement. */
function filesIn(path: string): string {
  const data = statSync(join(path, dataFile));
  const lock = statSync(join(path, lockFile), { throwIfNoEntry: false });
  return `${data.ino} ${lock?.ino}`;
}

function missing({ revision }: RecordId): never {
  throw new StoreError("Corrupt", `the record of revision ${revision} is missing`);
}

function notOpenYet(): StoreError {
  const message = `${dataFile} was replaced by a smaller one, which could not be opened, and nothing was written: it is tried again every second`;
  return new StoreError("Unavailable", message);
}

interface Opening {
  readonly format: Format;
  readonly noSync?: boolean;
  readonly onClose?: () => void;
}

/** Without it, LMDB leaves half-empty pages behind. */
const appending = { append: true };

/** lmdb reports only that a commit failed; the cause is in a promise that rejects. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && "commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}
