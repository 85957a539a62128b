import type { Readable } from "node:stream";

/** How reading a request's body ended: with the body, or without. */
export type BodyOutcome = Uint8Array | "too large" | "timed out" | "gone";

export interface BodyLimits {
  readonly bodyBytes: number;
  readonly bodyTimeout: number;
}

/** Reads a body that is not larger than allowed; stops reading when the outcome is known. */
export function readBody(
  source: Readable,
  limits: BodyLimits,
  done: (outcome: BodyOutcome) => void,
): void {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timer = setTimeout(() => finish("timed out"), limits.bodyTimeout);

  function onData(chunk: Uint8Array): void {
    size += chunk.length;
    chunks.push(chunk);
    if (size > limits.bodyBytes) finish("too large");
  }
  function onEnd(): void {
    const [only] = chunks;
    finish(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
  }
  function onClose(): void {
    finish("gone");
  }
  function finish(outcome: BodyOutcome): void {
    clearTimeout(timer);
    source.off("data", onData).off("end", onEnd).off("close", onClose);
    done(outcome);
  }
  source.on("data", onData).on("end", onEnd).on("close", onClose);
}
