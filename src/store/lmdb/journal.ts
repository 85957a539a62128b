import { statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import { checkDirectory, dataFile, prepareDirectory, syncDirectory } from "./data-directory.ts";
import { type Database, damaged, openDatabase, sizeOf } from "./database.ts";
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
} from "./record.ts";

/**
 * Every change that is not superseded, or not yet compacted, by revision, in one LMDB database.
 *
 * One transaction at a time, without `overlappingSync`: LMDB writes the pages, syncs them, then writes
 * the page that makes them count through a file opened with O_DSYNC. Only then a write resolves.
 */
export class Journal {
  readonly #path: string;
  readonly #format: Format;
  readonly #onClose: () => void;
  #db: Database;
  #inode: number;

  private constructor(path: string, db: Database, { format, onClose = () => undefined }: Opening) {
    this.#path = path;
    this.#format = format;
    this.#inode = statSync(join(path, dataFile)).ino;
    this.#db = db;
    this.#onClose = onClose;
  }

  /** Opens it as the only one that writes; one of an older format is upgraded. */
  static async open(path: string, format: Format = currentFormat): Promise<Journal> {
    await prepareDirectory(path).catch((cause: unknown) => {
      throw damaged(path, cause);
    });
    const db = openDatabase(path, { readOnly: false });
    let journal: Journal | undefined;
    try {
      claim(db, path);
      journal = new Journal(path, db, { format, onClose: () => release(path) });
      await journal.#identify(path);
      return journal;
    } catch (error) {
      await (journal ?? db).close();
      throw damaged(path, error);
    }
  }

  /** Opens it beside one that may write meanwhile. */
  static async openForReading(path: string, format: Format = currentFormat): Promise<Journal> {
    await checkDirectory(path).catch((cause: unknown) => {
      throw damaged(path, cause);
    });
    // Before it is opened: one that takes its place meanwhile is found to be another.
    const { ino } = statSync(join(path, dataFile));
    const db = openDatabase(path, { readOnly: true });
    try {
      const journal = new Journal(path, db, { format });
      journal.#inode = ino;
      checkFormat(db, path, format);
      return journal;
    } catch (error) {
      await db.close();
      throw damaged(path, error);
    }
  }

  /** Lets the reads of this turn of the event loop see one state, the newest, in whatever file that is. */
  renew(): void {
    const { ino } = statSync(join(this.#path, dataFile));
    if (ino !== this.#inode) {
      this.#inode = ino;
      void this.#db.close();
      this.#db = openDatabase(this.#path, { readOnly: true });
    }
    this.#db.resetReadTxn();
  }

  /** The revision up to which superseded records may be missing. */
  get compacted(): number {
    return readMark(this.#record(markId), this.#format.version) ?? 0;
  }

  /** How large its file is, and how much of that is free. */
  get size(): { readonly bytes: number; readonly freeBytes: number } {
    return sizeOf(this.#db);
  }

  /** How much of its file is in use. */
  get usedBytes(): number {
    const { bytes, freeBytes } = this.size;
    return bytes - freeBytes;
  }

  /** How many records there are. */
  get count(): number {
    return this.#db.getStats().entryCount - 1;
  }

  /** Copies it to a directory, without the free pages. */
  async copyTo(directory: string): Promise<void> {
    await this.#db.backup(directory, true);
  }

  /** Goes on with the file that took the place of its own. */
  async moveOn(): Promise<void> {
    const old = this.#db;
    this.#db = openDatabase(this.#path, { readOnly: false });
    claim(this.#db, this.#path);
    await old.close();
  }

  /** The revision of the last record; 0 if there is none. */
  get lastRevision(): number {
    this.#db.resetReadTxn();
    for (const id of this.#db.getKeys({ reverse: true, limit: 1 })) return id.readUIntBE(0, 6);
    return 0;
  }

  /**
   * Appends records, and removes others, some of which may be gone already, in one transaction;
   * resolves when that is durable.
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
    if (written.includes(false)) throw new Error("lmdb found a record where there must be none");
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
    const record = this.#record(key);
    if (record === undefined) {
      throw new StoreError("Corrupt", `the record of revision ${id.revision} is missing`);
    }
    return decodeValue(key, record);
  }

  /**
   * Shows the headers of all records, or of those after a revision, oldest first, until told `false`. Not
   * a generator: opening a large store takes every record through here.
   */
  forEachHeader(visit: (header: RecordHeader) => boolean, after = 0): void {
    const start = encodeId({ revision: after + 1, ordinal: 0 });
    for (const { key, value } of this.#db.getRange({ start })) {
      if (!visit(decodeHeader(key, value))) break;
    }
  }

  /** All records, oldest first, with the length of their values. */
  *records(): Generator<{ readonly header: RecordHeader; readonly valueBytes: number }> {
    const start = encodeId({ revision: 0, ordinal: 1 });
    for (const { key, value } of this.#db.getRange({ start })) {
      yield { header: decodeHeader(key, value), valueBytes: decodeValue(key, value).length };
    }
  }

  /** Memory that the next read uses again. */
  #record(id: Buffer): Buffer | undefined {
    return this.#db.getBinaryFast(id);
  }

  async close(): Promise<void> {
    await this.#db.close();
    this.#onClose();
  }

  /**
   * Begins anew after a write that failed, as lmdb's queue of writes is of no use then. The files stay
   * open, and claimed, meanwhile.
   */
  async startAgain(): Promise<void> {
    const old = this.#db;
    this.#db = openDatabase(this.#path, { readOnly: false });
    await old.close();
  }

  /** Writes all at once; resolves when it is durable, and fails with what the disk said. */
  async #transaction(write: (db: Database) => Promise<boolean>[]): Promise<boolean[]> {
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

  /** Marks a new database as ours, upgrades an older one, and refuses one that is not ours. */
  async #identify(path: string): Promise<void> {
    if (this.#db.getKeysCount({ limit: 1 }) === 0) await this.writeCompacted(0);
    else upgrade(this.#db, path, this.#format);
    if (await markOwned(path)) await syncDirectory(path);
  }
}

interface Opening {
  readonly format: Format;
  readonly onClose?: () => void;
}

/** Without it, LMDB leaves pages half empty behind. */
const appending = { append: true };

/** lmdb says that the commit failed, and holds the reason in a promise that fails. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && "commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}
