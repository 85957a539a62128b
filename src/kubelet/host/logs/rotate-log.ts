import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { compressedSuffix, draftSuffix, planRotation, rotatedName } from "./rotated-files.ts";

export interface RotateRequest {
  /** The file that the container writes to. */
  readonly path: string;
  readonly maxFiles: number;
  readonly now: number;
  /** Has the runtime continue in a new file. */
  readonly reopen: () => Promise<void>;
}

/** Rotates a log: older files are compressed, and the oldest removed. Readers may still read the latest one. */
export async function rotateLog({ path, maxFiles, now, reopen }: RotateRequest): Promise<void> {
  const { remove, compress } = planRotation(await rotatedFiles(path), maxFiles);
  for (const file of remove) await rm(file, { force: true });
  for (const file of compress) await compressFile(file);
  const rotated = rotatedName(path, now);
  await rename(path, rotated);
  try {
    await reopen();
  } catch (error) {
    // It is tried again the next time.
    await rename(rotated, path);
    throw error;
  }
}

/** The rotated files of a log. */
export async function rotatedFiles(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(folder, name));
}

async function compressFile(file: string): Promise<void> {
  const draft = `${file}${draftSuffix}`;
  const { mode } = await stat(file);
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(draft, { mode }));
    await rename(draft, `${file}${compressedSuffix}`);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await rm(file);
}
