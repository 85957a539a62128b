import { copyFileSync, statSync, truncateSync } from "node:fs";

/** Something that is written to, as the standard streams of a process are. */
export interface LogStream {
  write(chunk: string | Uint8Array, ...rest: never[]): boolean;
}

/**
 * Keeps a file below a size to which streams of this process are appended: what is in it is moved to
 * `PATH.1` when it is larger, in place of what was there, and writing goes on at its new end.
 */
export function boundLog(
  streams: readonly LogStream[],
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): void {
  let bytes = sizeOf(path);
  for (const stream of streams) {
    const write = stream.write.bind(stream);
    stream.write = (chunk, ...rest) => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        moveAside(path);
        bytes = chunk.length;
      }
      return write(chunk, ...rest);
    };
  }
}

function moveAside(path: string): void {
  try {
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  } catch {
    // There is nowhere to report it: the log grows until it can be moved.
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
