import { randomUUID } from "node:crypto";
import { chmod, type FileHandle, mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file that only its owner may read. Readers of the path see the old content or the new
 * one, also after a crash.
 */
export async function writePrivateFile(path: string, data: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    await writeDurably(draft, data);
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new Error(`cannot write ${path}`, { cause });
  }
  await syncFolder(dirname(path));
}

/**
 * Replaces a file that only its owner may read. The content survives the end of the process at any time, but not
 * necessarily that of the machine, for which `syncFile` waits.
 */
export async function replacePrivateFile(path: string, data: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, data, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Awaits a write that is only for the case of a kill: on a full disk the work that makes room goes on without it. */
export async function unlessFull(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const { code, cause } = error as NodeJS.ErrnoException;
    const reason = code ?? (cause as NodeJS.ErrnoException | undefined)?.code;
    if (reason !== "ENOSPC" && reason !== "EDQUOT") throw error;
  }
}

/** Resolves when a file, and its name in its folder, are on disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  await closing(file, () => file.sync());
  await syncFolder(dirname(path));
}

/** Creates a folder (and its parents) that only its owner may enter, or restricts one that exists. */
export async function ensurePrivateDir(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if ((mode & othersMay) !== 0) await chmod(path, 0o700);
}

/** Throws if others than its owner may read or write a file or folder; the error says what to do. */
export async function checkPrivate(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const { mode } = await stat(path);
  if ((mode & othersMay) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  throw new Error(
    `${path} may be read by others (mode ${octal}): make it private with "chmod go= ${path}"`,
  );
}

/** The mode bits of group and others. */
const othersMay = 0o077;

async function writeDurably(path: string, data: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  await closing(file, async () => {
    await file.writeFile(data);
    await file.sync();
  });
}

/** Makes a rename in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  await closing(folder, () => folder.sync());
}

async function closing(file: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await file.close();
  }
}
