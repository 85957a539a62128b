import { chmod, open, readdir, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ensurePrivateDir } from "../../platform/files.ts";
import { StoreError } from "../store.ts";
import { currentOwner, ownerFile } from "./owner.ts";

export const dataFile = "data.mdb";
export const lockFile = "lock.mdb";

/** Makes the directory private; throws if LMDB could not or should not open it. */
export async function prepareDirectory(path: string): Promise<void> {
  const names = await namesIn(path);
  const foreign = names.find((name) => ![dataFile, lockFile, ownerFile].includes(name));
  if (foreign !== undefined && !names.includes(dataFile)) {
    const message = `${path} holds other data (${foreign}): choose an empty directory`;
    throw new StoreError("Corrupt", message);
  }
  if (names.includes(ownerFile)) await checkPresent(path, names);
  if (names.includes(dataFile)) {
    const { size, whole } = await checkDataFile(join(path, dataFile));
    if (size < whole) await truncate(join(path, dataFile), whole);
  }
  await ensurePrivateDir(path);
  for (const name of [dataFile, lockFile]) {
    // LMDB keeps the mode of an existing file, and treats an empty one as new. Never open an existing
    // lock file: closing it would release this process's locks on it.
    if (!names.includes(name)) await writeFile(join(path, name), "", { flag: "a", mode: 0o600 });
    await chmod(join(path, name), 0o600);
  }
}

/** Throws if the directory contains no readable store; changes nothing. */
export async function checkDirectory(path: string): Promise<void> {
  await checkPresent(path, await namesIn(path));
  const { size, whole } = await checkDataFile(join(path, dataFile));
  // While a process writes, trailing pages may be free and not yet in the file.
  if (size >= whole || isAlive(currentOwner(path))) return;
  const message = `${path} is damaged: ${dataFile} is cut off: restore a backup`;
  throw new StoreError("Corrupt", message);
}

async function checkPresent(path: string, names: readonly string[]): Promise<void> {
  const size = names.includes(dataFile) ? (await stat(join(path, dataFile))).size : undefined;
  if (size !== undefined && size > 0) return;
  const message = !names.includes(ownerFile)
    ? `${path} holds no store: choose another directory`
    : size === undefined
      ? `${path} held a store, but its ${dataFile} is missing: restore a backup`
      : `${path} held a store, but its ${dataFile} is empty: restore a backup`;
  throw new StoreError("Corrupt", message);
}

function isAlive(pid: number | undefined): boolean {
  if (!pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw new StoreError("Corrupt", `${path} cannot be read: ${String(cause)}`, { cause });
  }
}

/** Syncs the directory, so that the names of its files are durable. */
export async function syncDirectory(path: string): Promise<void> {
  for (const each of [path, dirname(path)]) {
    const directory = await open(each, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }
}

/** The offsets of fields in LMDB's two meta pages, the newer of which is valid. */
const meta = { bytes: 160, magic: 24, pageSize: 48, lastPage: 144 };
const magic = 0xbeefc0de;

/**
 * Throws if a file is not LMDB's. A truncated file must be padded with zeros: LMDB then reports damaged
 * pages, instead of crashing the process when it reads beyond the end of the file.
 */
async function checkDataFile(
  path: string,
): Promise<{ readonly size: number; readonly whole: number }> {
  const { size } = await stat(path);
  if (size === 0) return { size, whole: 0 };
  const file = await readStart(path);
  if (file.length < meta.bytes || file.readUInt32LE(meta.magic) !== magic) {
    throw new StoreError("Corrupt", `${path} is not a database, or is damaged: restore a backup`);
  }
  const pageSize = file.readUInt32LE(meta.pageSize);
  const pages = [0, pageSize]
    .filter((start) => file.length >= start + meta.bytes)
    .map((start) => Number(file.readBigUInt64LE(start + meta.lastPage)) + 1);
  return { size, whole: Math.max(2, ...pages) * pageSize };
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(twoPages), 0, twoPages, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Two pages of the largest size. */
const twoPages = 2 * 0x8000;
