import { copyFileSync, statSync, truncateSync } from "node:fs";

/** A stream that is written to, such as the standard output of a process. */
export interface LogStream {
  write(chunk: string | Uint8Array, ...rest: never[]): boolean;
}

/**
 * Keeps the file that this process's streams append to below a size. A larger file is moved to `PATH.1`,
 * which is overwritten, and writing continues in an empty file.
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
    // The log is the only place to report errors: it grows until it can be moved.
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
