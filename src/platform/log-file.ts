import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { onAbort } from "../base/on-abort.ts";
import { watchFolder } from "./watch-folder.ts";

/** Which part of a log file to read. */
interface ReadOptions {
  /** The offset of the first byte. */
  readonly from: number;
  /** Whether to continue with what is appended, until `ended` is aborted. */
  readonly follow: boolean;
  /** Aborted when nothing is appended any more. */
  readonly ended: AbortSignal;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

/**
 * A file that another process appends to, and that may be renamed and continued in a new file at its path. A file
 * that does not exist yet is empty.
 */
export const logFile = (path: string) => ({
  /** Reads the file to its end, or follows it. */
  read: (options: ReadOptions): AsyncIterable<Uint8Array> =>
    options.follow ? followFile(path, options) : readFile(path, options),
  /** The offset of the last lines; `endsLine` tells which records, with their newline, are the end of one. */
  tail: (count: number, endsLine: (record: Uint8Array) => boolean): Promise<number> =>
    tailOffset(path, count, endsLine),
});

async function* readFile(path: string, { from, signal }: ReadOptions): AsyncGenerator<Uint8Array> {
  const handle = await opened(path);
  if (!handle) return;
  try {
    yield* readOn(handle, from, signal);
  } finally {
    await handle.close();
  }
}

async function* followFile(
  path: string,
  { from, ended, signal }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  // The folder is watched, because a watcher of the file would follow it to its new name.
  const changes = new FolderChanges(dirname(path), [ended, signal]);
  let handle: FileHandle | undefined;
  let position = from;
  try {
    for (;;) {
      const isLast = ended.aborted;
      changes.forget();
      handle ??= await opened(path);
      // The old file is complete once there is a new one.
      const isOld = handle !== undefined && (await isReplaced(handle, path));
      for await (const bytes of handle ? readOn(handle, position, signal) : []) {
        position += bytes.length;
        yield bytes;
      }
      if (isOld || (await isCut(handle, position))) {
        if (isOld) await handle?.close();
        if (isOld) handle = undefined;
        position = 0;
        continue;
      }
      if (isLast || signal.aborted) return;
      await changes.next();
    }
  } finally {
    changes.close();
    await handle?.close();
  }
}

/** Wakes a reader when something in a folder changes. */
class FolderChanges {
  readonly #watcher;
  readonly #unfollow: readonly (() => void)[];
  #hasChanged = false;
  #wake: (() => void) | undefined;

  /** Signals wake it as well. */
  constructor(folder: string, signals: readonly AbortSignal[]) {
    const changed = (): void => {
      this.#hasChanged = true;
      this.#wake?.();
    };
    this.#watcher = watchFolder(folder, changed);
    this.#unfollow = signals.map((signal) => onAbort(signal, changed));
  }

  forget(): void {
    this.#hasChanged = false;
  }

  /** Resolves when something has changed since the last `forget`. */
  next(): Promise<void> {
    if (this.#hasChanged) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    this.#watcher.close();
    for (const unfollow of this.#unfollow) unfollow();
  }
}

const pieceBytes = 64 * 1024;

async function* readOn(
  handle: FileHandle,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let position = from;
  while (!signal.aborted) {
    const buffer = new Uint8Array(pieceBytes);
    const { bytesRead } = await handle.read(buffer, 0, pieceBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function isReplaced(handle: FileHandle, path: string): Promise<boolean> {
  const [mine, there] = await Promise.all([handle.stat(), stat(path).catch(ifMissing)]);
  return there !== undefined && (there.ino !== mine.ino || there.dev !== mine.dev);
}

const isCut = async (handle: FileHandle | undefined, position: number): Promise<boolean> =>
  handle !== undefined && (await handle.stat()).size < position;

async function tailOffset(
  path: string,
  count: number,
  endsLine: (record: Uint8Array) => boolean,
): Promise<number> {
  const handle = await opened(path);
  if (!handle) return 0;
  try {
    let found = 0;
    let isLast = true;
    let end = (await handle.stat()).size;
    if (count <= 0) return end;
    /** The bytes from `end` on that belong to a record which begins before. */
    let rest = Buffer.alloc(0);
    while (end > 0) {
      const start = Math.max(0, end - pieceBytes);
      const piece = Buffer.alloc(end - start);
      await handle.read(piece, 0, piece.length, start);
      const bytes = Buffer.concat([piece, rest]);
      // Records from the last to the first whose beginning is here.
      let to = bytes.lastIndexOf(newline) + 1;
      while (to > 0) {
        const from = bytes.subarray(0, to - 1).lastIndexOf(newline) + 1;
        if (from === 0 && start > 0) break;
        const isEnd = endsLine(bytes.subarray(from, to));
        if (isEnd && ++found > count) return start + to;
        // Parts at the end of the file are a line, too, whose end is not written yet or never.
        if (isLast && !isEnd) found++;
        isLast = false;
        to = from;
      }
      rest = bytes.subarray(0, to);
      end = start;
    }
    return 0;
  } finally {
    await handle.close();
  }
}

const newline = 0x0a;

const opened = (path: string): Promise<FileHandle | undefined> => open(path).catch(ifMissing);

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
