import { GrpcError, grpcCodes } from "./grpc-error.ts";

/** A message as gRPC frames it: not compressed, with its length. */
export function grpcFrame(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** Splits a stream of bytes into gRPC messages. */
export class GrpcFrames {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  /** Rejects messages larger than `most`. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The messages that these bytes complete. */
  *add(piece: Uint8Array): Generator<Uint8Array> {
    this.#pieces.push(piece);
    this.#size += piece.length;
    while (this.#size >= 5) {
      const head = this.#take(5, true);
      const length = new DataView(head.buffer, head.byteOffset).getUint32(1);
      if (head[0] !== 0)
        throw new GrpcError(grpcCodes.unimplemented, "grpc: compressed messages are not read");
      if (length > this.#most)
        throw new GrpcError(
          grpcCodes.resourceExhausted,
          `grpc: received message larger than max (${length} vs. ${this.#most})`,
        );
      if (this.#size < 5 + length) return;
      this.#take(5, false);
      yield this.#take(length, false);
    }
  }

  /** Whether an incomplete message is buffered. */
  get isWithin(): boolean {
    return this.#size > 0;
  }

  /** The next bytes, which must be buffered; `isPeek` leaves them in the buffer. */
  #take(count: number, isPeek: boolean): Uint8Array {
    const [first] = this.#pieces;
    if (first && first.length > count) {
      if (!isPeek) {
        this.#pieces[0] = first.subarray(count);
        this.#size -= count;
      }
      return first.subarray(0, count);
    }
    const all = Buffer.concat(this.#pieces);
    this.#pieces = isPeek ? [all] : [all.subarray(count)];
    if (!isPeek) this.#size -= count;
    return all.subarray(0, count);
  }
}
