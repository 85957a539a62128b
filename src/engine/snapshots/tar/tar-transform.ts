import { Transform, type TransformCallback } from "node:stream";
import { encodeTarEntry, endOfTar, type TarEntry } from "./tar-entry.ts";
import { paddingOf } from "./tar-header.ts";
import { TarReader } from "./tar-reader.ts";

/** Decides what becomes of each entry of an archive. */
export interface TarRewriter {
  /**
   * The entries that replace one, in order; the last of them gets its data if its type has any. Nothing drops the
   * entry and its data. A throw refuses the archive.
   */
  rewrite(entry: TarEntry): readonly TarEntry[];
  /** Called with the size of every piece of the archive. */
  count?(bytes: number): void;
}

/**
 * Rewrites an archive as it passes. What comes of one piece leaves as one: most files are small, and handing on
 * many small pieces costs more than copying them.
 */
export function tarTransform(rewriter: TarRewriter): Transform {
  let keepsData = false;
  let padding = 0;
  let parts: Buffer[] = [];
  const flushParts = (): void => {
    const [first] = parts;
    if (first !== undefined) transform.push(parts.length === 1 ? first : Buffer.concat(parts));
    parts = [];
  };
  const reader = new TarReader({
    entry: (entry) => {
      const entries = rewriter.rewrite(entry);
      for (const one of entries) parts.push(encodeTarEntry(one));
      const last = entries.at(-1);
      keepsData = last !== undefined && last.size === entry.size && entry.size > 0;
      padding = paddingOf(entry.size);
    },
    data: (bytes) => {
      if (keepsData) parts.push(bytes);
    },
    entryEnd: () => {
      if (keepsData && padding > 0) parts.push(Buffer.alloc(padding));
    },
  });
  const transform = new Transform({
    transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
      attempt(done, () => {
        rewriter.count?.(chunk.length);
        reader.push(chunk);
        flushParts();
      });
    },
    flush: (done) => {
      attempt(done, () => {
        reader.end();
        parts.push(endOfTar());
        flushParts();
      });
    },
  });
  return transform;
}

function attempt(done: TransformCallback, work: () => void): void {
  let failure: Error | null = null;
  try {
    work();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  done(failure);
}
