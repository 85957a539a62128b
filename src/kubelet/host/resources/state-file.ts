import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { checkpointWriter } from "../checkpoint-writer.ts";

/** A file in which a kubelet keeps what it has allocated. */
export interface StateFile {
  readonly path: string;
  /** What an earlier kubelet has written; undefined if there was none. */
  readonly stored: string | undefined;
  /** Writes a state after those before it, unless nothing has changed. */
  write(text: string): Promise<void>;
}

/** Opens a file of allocations. Rejects if it exists and cannot be read. */
export async function openStateFile(path: string): Promise<StateFile> {
  const stored = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  return { path, stored, write: checkpointWriter(path, stored) };
}
