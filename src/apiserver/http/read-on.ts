import type { Readable, Writable } from "node:stream";

/** A body as it arrives; once the response is sent, the rest of the body is discarded. */
export function readOn(source: Readable, response: Writable): AsyncIterable<Uint8Array> {
  response.once("finish", () => source.resume());
  return pieces(source);
}

async function* pieces(source: Readable): AsyncGenerator<Uint8Array> {
  try {
    // Do not destroy the source when reading stops early: that would also end the response.
    yield* source.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } finally {
    source.resume();
  }
}
