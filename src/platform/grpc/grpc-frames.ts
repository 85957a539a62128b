import { GrpcError, grpcCodes } from "./grpc-error.ts";

/** A message in the frame in which gRPC sends it: not compressed, with its length. */
export function grpcFrame(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** Takes frames apart, in whatever pieces they come. */
export class GrpcFrames {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  /** Refuses messages that are larger than `most`. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The messages that are complete with this piece. */
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

  /** Whether a message has begun that is not complete. */
  get isWithin(): boolean {
    return this.#size > 0;
  }

  /** The next bytes, which are there; they stay where they are only looked at. */
  #take(count: number, isLook: boolean): Uint8Array {
    const [first] = this.#pieces;
    if (first && first.length > count) {
      if (!isLook) {
        this.#pieces[0] = first.subarray(count);
        this.#size -= count;
      }
      return first.subarray(0, count);
    }
    const all = Buffer.concat(this.#pieces);
    this.#pieces = isLook ? [all] : [all.subarray(count)];
    if (!isLook) this.#size -= count;
    return all.subarray(0, count);
  }
}
