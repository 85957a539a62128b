/** The types of control frames of SPDY/3. */
export const controlTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** The flag of a frame that is the sender's last on its stream. */
export const finFlag = 1;

/** Why a stream is reset. */
export const resetCodes = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;

/** Why a connection is closed. */
export const goAwayCodes = { ok: 0, protocolError: 1 } as const;

/** The setting for the window with which streams begin. */
export const initialWindowSetting = 7;

/** The window of a stream, and of the connection, until the peer announces another. */
export const defaultWindow = 65_536;

/** The highest stream ID, and the highest window. */
export const largestNumber = 0x7fffffff;

/** A piece of the data of a stream; long frames arrive in several pieces. */
export interface DataPiece {
  readonly type: "data";
  readonly id: number;
  readonly bytes: Uint8Array;
  /** Whether the peer sends no more on this stream. */
  readonly isLast: boolean;
}

/** A control frame that has arrived completely. */
export interface ControlFrame {
  readonly type: "control";
  readonly control: number;
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** The peer broke the protocol; its connection must be closed. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}

/** A frame with data of a stream. */
export function dataFrame(id: number, bytes: Uint8Array, isLast: boolean): Uint8Array {
  const frame = new Uint8Array(8 + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, id);
  view.setUint32(4, ((isLast ? finFlag : 0) << 24) | bytes.length);
  frame.set(bytes, 8);
  return frame;
}

/** A control frame of 32-bit numbers, and of bytes after them. */
export function controlFrame(
  control: number,
  numbers: readonly number[],
  { flags = 0, rest = nothing }: { readonly flags?: number; readonly rest?: Uint8Array } = {},
): Uint8Array {
  const length = numbers.length * 4 + rest.length;
  const frame = new Uint8Array(8 + length);
  const view = new DataView(frame.buffer);
  view.setUint16(0, 0x8000 | version);
  view.setUint16(2, control);
  view.setUint32(4, (flags << 24) | length);
  for (const [i, number] of numbers.entries()) view.setUint32(8 + i * 4, number);
  frame.set(rest, 8 + numbers.length * 4);
  return frame;
}

/** The number at an offset of a payload, without its highest bit, which is reserved. */
export function numberAt({ buffer, byteOffset, length }: Uint8Array, at: number): number {
  if (at + 4 > length) throw new SpdyError("invalid control frame");
  return new DataView(buffer, byteOffset, length).getUint32(at) & largestNumber;
}

export const version = 3;
const nothing = new Uint8Array(0);
