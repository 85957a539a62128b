import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import { type Database, readers } from "./database.ts";

/** The file with the process id of the writer; it exists from the creation of the store on. */
export const ownerFile = "owner";

/**
 * Claims a store for writing, or fails with Locked and names the current writer.
 *
 * The file contains the writer's process id, or none after the store was closed. A killed writer is
 * detected by LMDB's reader table, in which each writer has an entry, and from which dead processes are
 * removed. LMDB's writer lock decides between concurrent claims.
 */
export function claim(db: Database, path: string): void {
  const before = readers(db);
  // Creates the entry in the reader table.
  db.resetReadTxn();
  db.getBinaryFast(Buffer.of(0));
  db.transactionSync(() => {
    const owner = currentOwner(path);
    const others = readers(db).filter((pid) => pid !== process.pid || before.includes(pid));
    // Old versions wrote no such file and were alone in the table.
    const holder = others.find((pid) => owner === undefined || pid === owner);
    if (holder !== undefined) throw locked(path, holder);
    if (owner !== undefined) writeOwner(path, process.pid);
  });
}

/** Creates the file of a claimed store; returns whether it is new. */
export async function markOwned(path: string): Promise<boolean> {
  if (currentOwner(path) !== undefined) return false;
  await writeFile(join(path, ownerFile), format(process.pid), { mode: 0o600, flush: true });
  return true;
}

/** Releases the store for the next writer. */
export function release(path: string): void {
  if (currentOwner(path) === process.pid) writeOwner(path, 0);
}

/** The process that writes or wrote the store: 0 for none, undefined without a file. */
export function currentOwner(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(path, ownerFile), "latin1"), 10) || 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Overwrites in place, which works even on a full disk. */
function writeOwner(path: string, pid: number): void {
  const file = openSync(join(path, ownerFile), "r+");
  try {
    writeSync(file, format(pid), 0);
  } finally {
    closeSync(file);
  }
}

function format(pid: number): string {
  return `${String(pid).padEnd(19)}\n`;
}

function locked(path: string, holder: number): StoreError {
  const who = holder === process.pid ? "this process" : `process ${holder}`;
  return new StoreError("Locked", `${path} is in use by ${who}: stop that one first`);
}
