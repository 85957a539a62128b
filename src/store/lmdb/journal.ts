import { open } from "lmdb";
import { StoreError } from "../store.ts";
import { prepareDirectory, syncDirectory } from "./data-directory.ts";
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
  readonly #db: Database;

  private constructor(db: Database) {
    this.#db = db;
  }

  static async open(path: string): Promise<Journal> {
    await prepareDirectory(path);
    const db = openDatabase(path);
    try {
      claim(db, path);
      const journal = new Journal(db);
      await journal.#identify(path);
      return journal;
    } catch (error) {
      await db.close();
      throw damaged(path, error);
    }
  }

  /** The revision up to which superseded records may be missing. */
  get compacted(): number {
    return readMeta(this.#db.get(metaId)) ?? 0;
  }

  /** Appends records in one transaction; resolves when they are durable. */
  async append(records: readonly EncodedRecord[]): Promise<void> {
    const written = await this.#transaction((db) =>
      records.map(({ id, record }) => db.put(id, record, appending)),
    );
    if (written.includes(false)) throw new Error("lmdb found a record where there must be none");
  }

  async writeCompacted(revision: number): Promise<void> {
    await this.#transaction((db) => [db.put(metaId, encodeMeta(revision))]);
  }

  /** Removes records; some may be gone already. */
  async remove(ids: readonly RecordId[]): Promise<void> {
    await this.#transaction((db) => ids.map((id) => db.remove(encodeId(id))));
  }

  readValue(id: RecordId): Uint8Array {
    const key = encodeId(id);
    const record = this.#record(key);
    if (record === undefined) {
      throw new StoreError("Corrupt", `the record of revision ${id.revision} is missing`);
    }
    return decodeValue(key, record);
  }

  /** The headers of all records, oldest first. */
  *headers(): Generator<RecordHeader> {
    for (const id of this.#db.getKeys({ start: firstId })) {
      yield decodeHeader(id, this.#record(id) ?? Buffer.alloc(0));
    }
  }

  /** A view of memory that the next read uses again. */
  #record(id: Buffer): Buffer | undefined {
    const shared = this.#db.getBinaryFast(id);
    // lmdb sets the length of a buffer that is longer.
    return shared?.subarray(0, shared.length);
  }

  async close(): Promise<void> {
    await this.#db.close();
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

  /** Marks a new database as ours, and refuses one that is not. */
  async #identify(path: string): Promise<void> {
    const known = this.#db.get(metaId);
    if (known !== undefined) {
      if (readMeta(known) !== undefined) return;
    } else if (this.#db.getKeysCount({ limit: 1 }) === 0) {
      await this.writeCompacted(0);
      await syncDirectory(path);
      return;
    }
    const message = `${path} holds a database that is not a store of this version`;
    throw new StoreError("Corrupt", message);
  }
}

const metaId = encodeId({ revision: 0, ordinal: 0 });
const firstId = encodeId({ revision: 1, ordinal: 0 });
const metaText = "wherry store 1\n";
/** Without it, LMDB leaves pages half empty behind. */
const appending = { append: true };

function encodeMeta(compacted: number): Buffer {
  const meta = Buffer.alloc(metaText.length + 6);
  meta.write(metaText);
  meta.writeUIntBE(compacted, metaText.length, 6);
  return meta;
}

function readMeta(meta: Buffer | undefined): number | undefined {
  if (meta?.length !== metaText.length + 6) return undefined;
  if (meta.toString("latin1", 0, metaText.length) !== metaText) return undefined;
  return meta.readUIntBE(metaText.length, 6);
}

/** What is used of lmdb, whose own types do not tell of the options that `put` takes. */
interface Database {
  get(key: Buffer): Buffer | undefined;
  getBinaryFast(key: Buffer): Buffer | undefined;
  getKeys(range: { readonly start: Buffer }): Iterable<Buffer>;
  getKeysCount(range: { readonly limit: number }): number;
  put(key: Buffer, value: Buffer, options?: { readonly append: boolean }): Promise<boolean>;
  remove(key: Buffer): Promise<boolean>;
  batch(write: () => void): Promise<boolean>;
  readerList(): string;
  close(): Promise<void>;
}

function openDatabase(path: string): Database {
  try {
    return open({
      path,
      noSubdir: false,
      encoding: "binary",
      keyEncoding: "binary",
      overlappingSync: false,
    }) as unknown as Database;
  } catch (cause) {
    throw damaged(path, cause);
  }
}

/**
 * Refuses a database that somebody has open. The first process to open one finds LMDB's table of
 * readers empty, whatever became of those before it; here each takes a place in it at once, so that
 * the next finds it taken.
 */
function claim(db: Database, path: string): void {
  const before = readers(db);
  db.get(metaId);
  if (before === 0 && readers(db) === 1) return;
  throw new StoreError("Locked", `${path} is in use by another process: stop that one first`);
}

function readers(db: Database): number {
  // LMDB tells it as text: a header, then one line for each; or one line in parentheses for none.
  const lines = db.readerList().trim().split("\n");
  return lines.length - 1;
}

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

/** What to tell of a fault while opening, unless it tells for itself what it is. */
export function damaged(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError && cause.message.startsWith(path)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${path} is damaged: ${reason}: restore a backup`;
  return new StoreError("Corrupt", message, { cause });
}
