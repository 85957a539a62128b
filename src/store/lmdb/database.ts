import { resolve } from "node:path";
import { open } from "lmdb";
import { StoreError } from "../store.ts";
import { remedyOf } from "./disk-fault.ts";

/** What is used of lmdb, whose own types do not tell of the options that `put` takes. */
export interface Database {
  /** In memory that the next read uses again, and that may go on after the length that it has. */
  getBinaryFast(key: Buffer): Buffer | undefined;
  /** Values are in such memory, too. */
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
  /** Lets the next read see what is there by then. */
  resetReadTxn(): void;
  readerList(): string;
  /** Copies the database to a directory, without its free pages. */
  backup(path: string, compact: true): Promise<void>;
  getStats(): PageCounts & {
    readonly pageSize: number;
    readonly lastPageNumber: number;
    readonly entryCount: number;
    /** Of the tree that lists the free pages. */
    readonly free: PageCounts;
  };
  close(): Promise<void>;
}

/** How many pages a tree takes. */
interface PageCounts {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** How large a database's file is, and how much of that is free. */
export function sizeOf(db: Database): { readonly bytes: number; readonly freeBytes: number } {
  const stats = db.getStats();
  const used = [stats, stats.free].reduce(
    (sum, tree) => sum + tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages,
    2,
  );
  const pages = stats.lastPageNumber + 1;
  return { bytes: pages * stats.pageSize, freeBytes: (pages - used) * stats.pageSize };
}

/**
 * Opens LMDB's files in a directory. Reading takes a transaction that ends with the turn of the event
 * loop, so that a reader never keeps pages from being used again.
 */
export function openDatabase(path: string, { readOnly }: { readonly readOnly: boolean }): Database {
  const place = resolve(path);
  // lmdb opens a file once for the whole process, and then could not write.
  if (!readOnly && readHere.has(place)) {
    const message = `${path} is in use by this process, for reading: close that first`;
    throw new StoreError("Locked", message);
  }
  try {
    const db = open({
      path,
      noSubdir: false,
      // As "binary" is, but for a copy of each value that is read.
      encoder: { encode: (value: Buffer) => value, decode: (value: Buffer) => value },
      keyEncoding: "binary",
      overlappingSync: false,
      // Else a commit that fails leaves a rejection behind that nobody can handle.
      eventTurnBatching: false,
      readOnly,
    }) as unknown as Database;
    return readOnly ? countingReads(db, place) : db;
  } catch (cause) {
    throw damaged(path, cause);
  }
}

/** How often a place is open for reading in this process. */
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

/** The process ids of those who have the database open and have read from it. */
export function readers(db: Database): number[] {
  // LMDB tells it as text: a header, then one line for each; or one line in parentheses for none.
  const [, ...lines] = db.readerList().trim().split("\n");
  return lines.map((line) => Number.parseInt(line.trim(), 10));
}

/** What to tell of a fault while opening, unless it tells for itself what it is. */
export function damaged(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError && cause.message.startsWith(path)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const remedy = remedyOf(cause);
  if (remedy !== undefined) {
    return new StoreError("Unavailable", `${path} cannot be opened: ${reason}: ${remedy}`, {
      cause,
    });
  }
  const message = `${path} is damaged: ${reason}: restore a backup`;
  return new StoreError("Corrupt", message, { cause });
}
