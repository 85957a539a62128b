import { type ControlFrame, type DataPiece, finFlag, SpdyError, version } from "./spdy-frames.ts";

/** Reads the frames of a peer from pieces of any size; keeps no more than one control frame. */
export class SpdyFrameReader {
  /** The bytes of a head that is not complete. */
  readonly #head = new Uint8Array(8);
  #headBytes = 0;
  #data: { readonly id: number; readonly isLast: boolean; left: number } | undefined;
  #control: { readonly frame: ControlFrame; bytes: number } | undefined;

  /** The frames in these bytes; throws a `SpdyError` for what no peer may send. */
  *push(bytes: Uint8Array): Generator<DataPiece | ControlFrame> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#data) {
        const piece = bytes.subarray(at, at + this.#data.left);
        at += piece.length;
        yield this.#takeData(piece);
      } else if (this.#control) {
        const { frame, bytes: start } = this.#control;
        const piece = bytes.subarray(at, at + frame.payload.length - start);
        at += piece.length;
        frame.payload.set(piece, start);
        this.#control.bytes += piece.length;
        if (this.#control.bytes === frame.payload.length) yield this.#finishControl(frame);
      } else {
        const piece = bytes.subarray(at, at + 8 - this.#headBytes);
        at += piece.length;
        this.#head.set(piece, this.#headBytes);
        this.#headBytes += piece.length;
        if (this.#headBytes < 8) return;
        this.#headBytes = 0;
        // Frames without a payload are complete with their head.
        const empty = this.#readHead();
        if (empty) yield empty;
      }
    }
  }

  #readHead(): DataPiece | ControlFrame | undefined {
    const view = new DataView(this.#head.buffer);
    const first = view.getUint32(0);
    const flags = view.getUint8(4);
    const length = view.getUint32(4) & 0xffffff;
    if (first < 0x80000000) {
      if (first === 0) throw new SpdyError("stream id zero is disallowed");
      this.#data = { id: first, isLast: (flags & finFlag) !== 0, left: length };
      return length === 0 ? this.#takeData(new Uint8Array(0)) : undefined;
    }
    if (view.getUint16(0) !== (0x8000 | version)) throw new SpdyError("unsupported version");
    if (length > longestControl) throw new SpdyError("a control frame is too long");
    const control = view.getUint16(2);
    const frame = { type: "control", control, flags, payload: new Uint8Array(length) } as const;
    if (length === 0) return frame;
    this.#control = { frame, bytes: 0 };
    return undefined;
  }

  #takeData(bytes: Uint8Array): DataPiece {
    const { id, isLast, left } = this.#data ?? { id: 0, isLast: false, left: 0 };
    const rest = left - bytes.length;
    this.#data = rest === 0 ? undefined : { id, isLast, left: rest };
    return { type: "data", id, bytes, isLast: isLast && rest === 0 };
  }

  #finishControl(frame: ControlFrame): ControlFrame {
    this.#control = undefined;
    return frame;
  }
}

/** Headers of streams are short; nothing else in a control frame is long. */
const longestControl = 65_536;
