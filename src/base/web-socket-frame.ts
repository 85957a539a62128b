/** What frames of a WebSocket are for, by their numbers (RFC 6455). */
export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame as a server sends it: whole, and not masked. */
export function encodeFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65536 ? 2 : 8;
  const frame = new Uint8Array(2 + extra + length);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | opcode;
  frame[1] = extra === 0 ? length : extra === 2 ? 126 : 127;
  if (extra === 2) view.setUint16(2, length);
  else if (extra === 8) view.setBigUint64(2, BigInt(length));
  frame.set(payload, 2 + extra);
  return frame;
}
