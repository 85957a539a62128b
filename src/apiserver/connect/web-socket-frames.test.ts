import { expect, test } from "vitest";
import { encodeFrame, opcodes } from "../../base/web-socket-frame.ts";
import { ClientFrames } from "./web-socket-frames.ts";

test.each([0, 1, 125, 126, 65535, 65536, 70_000])("encodeFrame: %d bytes", (size) => {
  const frame = encodeFrame(opcodes.binary, new Uint8Array(size).fill(7));
  const head =
    size < 126 ? [size] : size < 65536 ? [126, size >> 8, size & 255] : [127, 0, 0, 0, 0];
  expect([...frame.subarray(0, 1 + head.length)]).toEqual([0x82, ...head]);
  expect(frame.length).toBe((size < 126 ? 2 : size < 65536 ? 4 : 10) + size);
  expect(frame.at(-1)).toBe(size === 0 ? 0 : 7);
});

/** A frame as a client sends it. */
function masked(opcode: number, payload: readonly number[]): number[] {
  const mask = [1, 2, 3, 4];
  const { length } = payload;
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 255];
  return [0x80 | opcode, ...size, ...mask, ...payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))];
}

test.each([1, 3, 1000])("ClientFrames: signs among messages, %d bytes at a time", (size) => {
  const bytes = [
    ...masked(
      opcodes.text,
      Array.from({ length: 300 }, () => 65),
    ),
    ...masked(opcodes.ping, [1, 2, 3, 4, 5]),
    ...masked(opcodes.binary, []),
    ...masked(opcodes.pong, [9]),
    ...masked(opcodes.close, [3, 232]),
  ];
  const frames = new ClientFrames();
  const signs = [];
  for (let at = 0; at < bytes.length; at += size)
    signs.push(...frames.push(Uint8Array.from(bytes.slice(at, at + size))));
  expect(signs).toEqual([
    { type: "ping", payload: Uint8Array.of(1, 2, 3, 4, 5) },
    { type: "close" },
  ]);
});

test("ClientFrames: what is not masked, and a sign that is too long, is a violation", () => {
  const of = (...bytes: number[]) => [...new ClientFrames().push(Uint8Array.from(bytes))];
  expect(of(0x81, 1)).toEqual([{ type: "violation" }]);
  expect(of(0x89, 0x80 | 126)).toEqual([{ type: "violation" }]);
});
