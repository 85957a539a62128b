/** The HTTP/2 frame types that are sent or read. */
export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlags = {
  endStream: 0x1,
  ack: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

export const settings = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
} as const;

export const resetCodes = { refusedStream: 7, cancel: 8 } as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** The stream's id; 0 for the connection. */
  readonly id: number;
  readonly payload: Uint8Array;
}

/** The largest payload by default. */
export const maxPayload = 16_384;
const headBytes = 9;

/** Encodes a frame. */
export function frameBytes(
  type: number,
  { flags = 0, id = 0 }: { readonly flags?: number; readonly id?: number },
  payload: ArrayLike<number>,
): Uint8Array {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(id, 5);
  bytes.set(payload, headBytes);
  return bytes;
}

/** A big-endian number of four bytes. */
export function uint32(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Splits received bytes into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that these bytes complete; throws for a frame above the limit. */
  *read(piece: Buffer): Generator<Frame> {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = 0;
    while (bytes.length - at >= headBytes) {
      const length = bytes.readUIntBE(at, 3);
      if (length > maxPayload) throw new Error(`the server sent a frame of ${length} bytes`);
      const end = at + headBytes + length;
      if (end > bytes.length) break;
      const start = at;
      at = end;
      yield {
        type: bytes[start + 3] as number,
        flags: bytes[start + 4] as number,
        id: bytes.readUInt32BE(start + 5) & 0x7fffffff,
        payload: bytes.subarray(start + headBytes, end),
      };
    }
    this.#rest = bytes.subarray(at);
  }
}

/** A payload without its padding, and without the priority that may precede headers. */
export function unpadded({ flags, payload }: Frame, hasPriority: boolean): Uint8Array {
  const isPadded = (flags & frameFlags.padded) !== 0;
  const padding = isPadded ? (payload[0] ?? 0) : 0;
  const start = (isPadded ? 1 : 0) + (hasPriority ? 5 : 0);
  if (start + padding > payload.length) throw new Error("the server sent a frame of padding only");
  return payload.subarray(start, payload.length - padding);
}
