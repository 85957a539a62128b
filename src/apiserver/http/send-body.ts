import type { Writable } from "node:stream";
import type { ApiResponse, StreamBody } from "../request/request.ts";

/** A body whose size is known before it is sent. */
export interface FixedBody {
  /** Made one by one, on demand. */
  readonly blocks: Iterable<Uint8Array>;
  readonly size: number;
}

/** A body that is produced while it is sent. */
export type LiveBody = StreamBody | AsyncIterable<Uint8Array | string>;

/** Whether a body is a live one. */
export function isLive(body: ApiResponse["body"]): body is LiveBody {
  return typeof body === "object" && !ArrayBuffer.isView(body) && !Array.isArray(body);
}

/** Gathers small pieces into blocks, since each block costs a trip through the network stack. */
export function fixedBody(body: Exclude<ApiResponse["body"], LiveBody>): FixedBody {
  if (body === undefined) return emptyBody;
  if (typeof body === "string" || ArrayBuffer.isView(body)) {
    const block = bytesOf(body);
    return { blocks: block.length === 0 ? [] : [block], size: block.length };
  }
  let size = 0;
  for (const piece of body)
    size += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  return { blocks: { [Symbol.iterator]: () => gathered(body) }, size };
}

function* gathered(body: readonly (Uint8Array | string)[]): Generator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for (const piece of body) {
    const bytes = bytesOf(piece);
    if (bytes.length < blockBytes) {
      pieces.push(bytes);
      size += bytes.length;
    }
    if (size > 0 && (size >= blockBytes || bytes.length >= blockBytes)) {
      yield Buffer.concat(pieces, size);
      pieces = [];
      size = 0;
    }
    if (bytes.length >= blockBytes) yield bytes;
  }
  if (size > 0) yield Buffer.concat(pieces, size);
}

/** Sends a body of known size and ends the response; a client that does not read it in time is cut off. */
export function sendFixed(target: Writable, body: FixedBody, stallTimeout: number): void {
  const isSmall = body.size <= smallBody;
  const blocks = body.blocks[Symbol.iterator]();
  let block = blocks.next();
  /** Stays one block ahead, so that the last block is sent together with the end. */
  const send = (): void => {
    while (!target.destroyed && !target.writableEnded) {
      const next = blocks.next();
      if (next.done) {
        if (block.done) target.end();
        else target.end(block.value);
        return;
      }
      const hasRoom = target.write(block.value);
      block = next;
      if (!hasRoom && !isSmall) return;
    }
  };
  if (!isSmall) {
    target.on("drain", send);
    const timer = setTimeout(() => cutOff(target), stallTimeout);
    target.once("close", () => clearTimeout(timer));
  }
  send();
}

/**
 * Sends a body that is produced meanwhile. The returned function stops its producer and ends the response;
 * it does nothing once the body has ended.
 */
export function sendLive(target: Writable, body: LiveBody, options: LiveOptions): () => void {
  const guarded = guardStalls(target, options.stallTimeout);
  return "start" in body ? sendStream(guarded, body) : sendIterable(guarded, body, options.onError);
}

export interface LiveOptions {
  /** Milliseconds; absent: a client may pause for ever. */
  readonly stallTimeout: number | undefined;
  /** Called when the producer fails; the client sees a response that is cut off. */
  readonly onError: (error: unknown) => void;
}

/** A response of up to this size fits into buffers that every connection has anyway. */
const smallBody = 64 * 1024;
const blockBytes = 64 * 1024;
const emptyBody: FixedBody = { blocks: [], size: 0 };

function bytesOf(piece: Uint8Array | string): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece, "utf8") : piece;
}

/** Destroys with an error, so that the client sees that the response is incomplete. */
function cutOff(target: Writable): void {
  target.destroy(new Error("the response was cut off"));
}

interface GuardedTarget {
  readonly target: Writable;
  /** False when the client is behind: wait for `drain`. */
  write(chunk: Uint8Array | string): boolean;
}

/** Cuts off a client that stalls a stream for too long. */
function guardStalls(target: Writable, stallTimeout: number | undefined): GuardedTarget {
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  target.on("drain", release).once("close", release);
  return {
    target,
    write(chunk) {
      if (target.destroyed || target.writableEnded) return false;
      if (target.write(chunk)) return true;
      if (stallTimeout !== undefined) timer ??= setTimeout(() => cutOff(target), stallTimeout);
      return false;
    },
  };
}

function sendStream({ target, write }: GuardedTarget, body: StreamBody): () => void {
  let ended = false;
  const end = (): void => {
    ended = true;
    if (!target.writableEnded) target.end();
  };
  const stopBody = body.start({
    write,
    end,
    onDrain: (listener) => void target.on("drain", listener),
  });
  const stop = (): void => {
    if (ended) return;
    end();
    stopBody();
  };
  target.once("close", stop);
  return stop;
}

function sendIterable(
  guarded: GuardedTarget,
  body: AsyncIterable<Uint8Array | string>,
  onError: (error: unknown) => void,
): () => void {
  const { target } = guarded;
  const iterator = body[Symbol.asyncIterator]();
  let stopped = false;
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    if (!target.writableEnded) target.end();
    iterator.return?.().catch(onError);
  };
  target.once("close", stop);
  pump(guarded, iterator, () => stopped).then(
    () => {
      stopped = true;
      if (!target.writableEnded) target.end();
    },
    (error) => {
      if (!stopped) onError(error);
      stopped = true;
      cutOff(target);
    },
  );
  return stop;
}

async function pump(
  { target, write }: GuardedTarget,
  iterator: AsyncIterator<Uint8Array | string>,
  isStopped: () => boolean,
): Promise<void> {
  for (;;) {
    const { done, value } = await iterator.next();
    if (done || isStopped()) return;
    if (!write(value) && !isStopped()) await drained(target);
  }
}

function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      target.off("drain", settle).off("close", settle);
      resolve();
    };
    target.on("drain", settle).on("close", settle);
  });
}
