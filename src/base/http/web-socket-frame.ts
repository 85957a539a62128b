/** The opcodes of WebSocket frames (RFC 6455). */
export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A whole frame: a client masks it with four bytes, a server does not. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask?: Uint8Array): Uint8Array {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65536 ? 2 : 8;
  const start = 2 + extra + (mask ? 4 : 0);
  const frame = new Uint8Array(start + length);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | opcode;
  frame[1] = (mask ? 0x80 : 0) | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) view.setUint16(2, length);
  else if (extra === 8) view.setBigUint64(2, BigInt(length));
  frame.set(payload, start);
  if (!mask) return frame;
  frame.set(mask, start - 4);
  for (let i = 0; i < length; i++) frame[start + i] = (payload[i] ?? 0) ^ (mask[i % 4] ?? 0);
  return frame;
}

/** A frame that has arrived completely. */
export interface Frame {
  readonly opcode: number;
  /** False where the message continues in the next frame. */
  readonly isLast: boolean;
  readonly payload: Uint8Array;
}

/** The peer broke the protocol; its connection must be closed. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** The longest frame of a message that is kept in memory. */
const maxKeptBytes = 32 * 1024 * 1024;
/** RFC 6455 allows no more for close, ping and pong. */
const maxControlBytes = 125;

/**
 * Reads the frames that a client sends, or a server, in pieces of any size. Where messages are skipped, only
 * control frames are yielded, and the bytes of messages are never kept.
 */
export class FrameReader {
  readonly #keepsMessages: boolean;
  readonly #isMasked: boolean;
  /** The bytes of a head that is not complete. */
  #head: number[] = [];
  /** The frame whose payload is arriving. */
  #frame: UnfinishedFrame | undefined;

  constructor(messages: "keep" | "skip", sender: "client" | "server" = "client") {
    this.#keepsMessages = messages === "keep";
    this.#isMasked = sender === "client";
  }

  /** The frames that these bytes complete; throws a `FrameError` for what no peer may send. */
  *push(bytes: Uint8Array): Generator<Frame> {
    for (let at = 0; ; ) {
      const frame = this.#frame;
      if (frame) {
        const piece = bytes.subarray(at, at + frame.bytesLeft);
        at += piece.length;
        addPiece(frame, piece);
        if (frame.bytesLeft > 0) return;
        this.#frame = undefined;
        if (frame.isKept) yield finished(frame);
      } else {
        const byte = bytes[at++];
        if (byte === undefined) return;
        this.#head.push(byte);
        this.#frame = this.#readHead();
      }
    }
  }

  #readHead(): UnfinishedFrame | undefined {
    const [first = 0, second] = this.#head;
    if (second === undefined) return undefined;
    if (this.#isMasked !== (second & 0x80) > 0)
      throw new FrameError(
        this.#isMasked ? "a frame of a client is not masked" : "a frame of a server is masked",
      );
    const opcode = first & 0x0f;
    const short = second & 0x7f;
    const isControl = opcode >= opcodes.close;
    if (isControl && short > maxControlBytes) throw new FrameError("a control frame is too long");
    const extra = short < 126 ? 0 : short === 126 ? 2 : 8;
    if (this.#head.length < 2 + extra + (this.#isMasked ? 4 : 0)) return undefined;
    const length =
      extra === 0 ? short : this.#head.slice(2, 2 + extra).reduce((sum, b) => sum * 256 + b, 0);
    const isKept = isControl || this.#keepsMessages;
    if (isKept && length > maxKeptBytes) throw new FrameError("a frame of a client is too long");
    const mask = this.#head.slice(2 + extra);
    this.#head = [];
    const isLast = (first & 0x80) !== 0;
    return { opcode, isLast, isKept, mask, pieces: [], bytesRead: 0, bytesLeft: length };
  }
}

interface UnfinishedFrame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly isKept: boolean;
  readonly mask: readonly number[];
  /** What has arrived, without its mask. */
  readonly pieces: Uint8Array[];
  bytesRead: number;
  bytesLeft: number;
}

function addPiece(frame: UnfinishedFrame, piece: Uint8Array): void {
  const { mask, pieces, bytesRead, isKept } = frame;
  if (isKept && piece.length > 0) {
    const unmasked = new Uint8Array(piece);
    if (mask.length > 0) applyMask(unmasked, mask, bytesRead);
    pieces.push(unmasked);
  }
  frame.bytesRead += piece.length;
  frame.bytesLeft -= piece.length;
}

/** Masks bytes, or removes their mask; four at a time, as large inputs take most of their time here. */
function applyMask(bytes: Uint8Array, mask: readonly number[], offset: number): void {
  const rotated = Uint8Array.from({ length: 4 }, (_, i) => mask[(offset + i) % 4] ?? 0);
  const [word = 0] = new Uint32Array(rotated.buffer);
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
  for (let i = 0; i < words.length; i++) words[i] = (words[i] ?? 0) ^ word;
  for (let i = words.length * 4; i < bytes.length; i++)
    bytes[i] = (bytes[i] ?? 0) ^ (rotated[i % 4] ?? 0);
}

function finished({ opcode, isLast, pieces, bytesRead }: UnfinishedFrame): Frame {
  const [only] = pieces;
  if (only && pieces.length === 1) return { opcode, isLast, payload: only };
  const payload = new Uint8Array(bytesRead);
  let at = 0;
  for (const piece of pieces) {
    payload.set(piece, at);
    at += piece.length;
  }
  return { opcode, isLast, payload };
}
