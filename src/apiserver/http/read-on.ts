import type { Readable, Writable } from "node:stream";

/** A body while it arrives; once the answer is out, what is left of it is let go. */
export function readOn(source: Readable, answer: Writable): AsyncIterable<Uint8Array> {
  answer.once("finish", () => source.resume());
  return pieces(source);
}

async function* pieces(source: Readable): AsyncGenerator<Uint8Array> {
  try {
    // Not destroyed when nobody reads on: that would take the answer with it.
    yield* source.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } finally {
    source.resume();
  }
}
