import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../store.ts";
import { type Database, readers } from "./database.ts";

/** Names the process that writes a store. It is there from when the store was first made. */
export const ownerFile = "owner";

/**
 * Makes this process the one that writes a store, or fails with Locked and names the one that does.
 *
 * The file holds the owner's process id, or none once it has closed the store. One that was killed is
 * known by LMDB's table of readers, in which each owner takes a place, and from which the dead are
 * removed. Between two who come at the same time, LMDB's lock for writers decides.
 */
export function claim(db: Database, path: string): void {
  const before = readers(db);
  // Takes the place.
  db.resetReadTxn();
  db.getBinaryFast(Buffer.of(0));
  db.transactionSync(() => {
    const owner = currentOwner(path);
    const others = readers(db).filter((pid) => pid !== process.pid || before.includes(pid));
    // A version that made no such file was alone in the table.
    const holder = others.find((pid) => owner === undefined || pid === owner);
    if (holder !== undefined) throw locked(path, holder);
    if (owner !== undefined) writeOwner(path, process.pid);
  });
}

/** Makes the file of a new store, which this process has claimed; tells whether it was new. */
export async function markOwned(path: string): Promise<boolean> {
  if (currentOwner(path) !== undefined) return false;
  await writeFile(join(path, ownerFile), format(process.pid), { mode: 0o600, flush: true });
  return true;
}

/** Lets the next one have the store. */
export function release(path: string): void {
  if (currentOwner(path) === process.pid) writeOwner(path, 0);
}

/** The process that writes, or wrote, the store: 0 for none, undefined where no file tells. */
export function currentOwner(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(path, ownerFile), "latin1"), 10) || 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** In place: a disk that is full still takes it. */
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
