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
  /** Entries to add at the end. */
  atEnd?(): readonly TarEntry[];
  /** Called with the size of every piece of the archive. */
  count?(bytes: number): void;
}

/** Rewrites an archive as it passes; data is not copied. */
export function tarTransform(rewriter: TarRewriter): Transform {
  let keepsData = false;
  let padding = 0;
  const reader = new TarReader({
    entry: (entry) => {
      const entries = rewriter.rewrite(entry);
      for (const one of entries) transform.push(encodeTarEntry(one));
      const last = entries.at(-1);
      keepsData = last !== undefined && last.size === entry.size && entry.size > 0;
      padding = paddingOf(entry.size);
    },
    data: (bytes) => {
      if (keepsData) transform.push(bytes);
    },
    entryEnd: () => {
      if (keepsData && padding > 0) transform.push(Buffer.alloc(padding));
    },
  });
  const transform = new Transform({
    transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
      attempt(done, () => {
        rewriter.count?.(chunk.length);
        reader.push(chunk);
      });
    },
    flush: (done) => {
      attempt(done, () => {
        reader.end();
        for (const one of rewriter.atEnd?.() ?? []) transform.push(encodeTarEntry(one));
        transform.push(endOfTar());
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
