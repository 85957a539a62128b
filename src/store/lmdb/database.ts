import { resolve } from "node:path";
import { open } from "lmdb";
import { StoreError } from "../store.ts";
import { adviceFor } from "./disk-fault.ts";

/** The part of lmdb's API that is used; its own types lack some options of `put`. */
export interface Database {
  /** Returns a buffer that the next read overwrites, and that may extend beyond its length. */
  getBinaryFast(key: Buffer): Buffer | undefined;
  /** Values are in such a buffer, too. */
  getRange(range: { readonly start: Buffer }): Iterable<{
    readonly key: Buffer;
    readonly value: Buffer;
  }>;
  getKeys(range: {
    readonly start?: Buffer;
    readonly reverse?: boolean;
    readonly limit?: number;
  }): Iterable<Buffer>;
  put(key: Buffer, value: Buffer, options?: { readonly append: boolean }): Promise<boolean>;
  remove(key: Buffer): Promise<boolean>;
  batch(write: () => void): Promise<boolean>;
  transactionSync<T>(action: () => T): T;
  /** Lets the next read see the latest state. */
  resetReadTxn(): void;
  readerList(): string;
  /** Copies the database to a directory, without its free pages. */
  backup(path: string, compact: true): Promise<void>;
  getStats(): PageCounts & {
    readonly pageSize: number;
    readonly lastPageNumber: number;
    readonly entryCount: number;
    /** The tree of free pages. */
    readonly free: PageCounts;
  };
  close(): Promise<void>;
}

/** The number of pages of a tree. */
interface PageCounts {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** The size of a database's file, and how much of it is free. */
export function sizeOf(db: Database): { readonly bytes: number; readonly freeBytes: number } {
  const stats = db.getStats();
  const used = [stats, stats.free].reduce(
    (sum, tree) => sum + tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages,
    2,
  );
  const pages = stats.lastPageNumber + 1;
  return { bytes: pages * stats.pageSize, freeBytes: (pages - used) * stats.pageSize };
}

export interface OpenDatabaseOptions {
  readonly readOnly: boolean;
  /** Whether commits are not synced: they survive the end of the process, but not that of the machine. */
  readonly noSync?: boolean | undefined;
}

/**
 * Opens LMDB's files in a directory. Read transactions end with the turn of the event loop, so that a
 * reader does not keep pages from being reused.
 */
export function openDatabase(path: string, { readOnly, noSync }: OpenDatabaseOptions): Database {
  const place = resolve(path);
  // lmdb opens a file once per process: it would stay read-only.
  if (!readOnly && readHere.has(place)) {
    const message = `${path} is in use by this process, for reading: close that first`;
    throw new StoreError("Locked", message);
  }
  try {
    const db = open({
      path,
      noSubdir: false,
      // Like "binary", without copying each value.
      encoder: { encode: (value: Buffer) => value, decode: (value: Buffer) => value },
      keyEncoding: "binary",
      overlappingSync: false,
      // Otherwise, a failed commit causes an unhandled rejection.
      eventTurnBatching: false,
      readOnly,
      noSync: noSync ?? false,
    }) as unknown as Database;
    return readOnly ? countingReads(db, place) : db;
  } catch (cause) {
    throw damaged(path, cause);
  }
}

/** The number of read-only handles per path in this process. */
const readHere = new Map<string, number>();

function countingReads(db: Database, place: string): Database {
  const add = (n: number): void => {
    const count = (readHere.get(place) ?? 0) + n;
    if (count > 0) readHere.set(place, count);
    else readHere.delete(place);
  };
  const close = db.close.bind(db);
  db.close = async () => {
    add(-1);
    await close();
  };
  add(1);
  return db;
}

/** The process ids of all readers of the database. */
export function readers(db: Database): number[] {
  // LMDB returns text: a header and one line per reader, or one line in parentheses if there are none.
  const [, ...lines] = db.readerList().trim().split("\n");
  return lines.map((line) => Number.parseInt(line.trim(), 10));
}

/** The error of a fault while opening, unless it already has an explanation. */
export function damaged(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError && cause.message.startsWith(path)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = adviceFor(cause);
  if (advice !== undefined) {
    return new StoreError("Unavailable", `${path} cannot be opened: ${reason}: ${advice}`, {
      cause,
    });
  }
  const message = `${path} is damaged: ${reason}: restore a backup`;
  return new StoreError("Corrupt", message, { cause });
}
