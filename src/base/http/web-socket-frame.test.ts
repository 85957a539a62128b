import { expect, test } from "vitest";
import { encodeFrame, type Frame, FrameError, FrameReader, opcodes } from "./web-socket-frame.ts";

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

const stream = [
  ...masked(
    opcodes.text,
    Array.from({ length: 300 }, () => 65),
  ),
  ...masked(opcodes.ping, [1, 2, 3, 4, 5]),
  ...masked(opcodes.binary, []),
  ...masked(opcodes.pong, [9]),
  ...masked(opcodes.close, [3, 232]),
];
const controlFrames: readonly Frame[] = [
  { opcode: opcodes.ping, isLast: true, payload: Uint8Array.of(1, 2, 3, 4, 5) },
  { opcode: opcodes.pong, isLast: true, payload: Uint8Array.of(9) },
  { opcode: opcodes.close, isLast: true, payload: Uint8Array.of(3, 232) },
];
function readAll(messages: "keep" | "skip", size: number): Frame[] {
  const reader = new FrameReader(messages);
  const frames: Frame[] = [];
  for (let at = 0; at < stream.length; at += size)
    frames.push(...reader.push(Uint8Array.from(stream.slice(at, at + size))));
  return frames;
}

test.each([1, 3, 1000])("FrameReader: skips messages, %d bytes at a time", (size) => {
  expect(readAll("skip", size)).toEqual(controlFrames);
});

test.each([1, 3, 1000])("FrameReader: keeps messages, %d bytes at a time", (size) => {
  const text = { opcode: opcodes.text, isLast: true, payload: new Uint8Array(300).fill(65) };
  const empty = { opcode: opcodes.binary, isLast: true, payload: new Uint8Array() };
  expect(readAll("keep", size)).toEqual([text, controlFrames[0], empty, ...controlFrames.slice(1)]);
});

test("FrameReader: a message may come in several frames", () => {
  const frames = [...new FrameReader("keep").push(Uint8Array.of(1, 0x81, 0, 0, 0, 0, 65))];
  expect(frames).toEqual([{ opcode: opcodes.text, isLast: false, payload: Uint8Array.of(65) }]);
});

test.each(["keep", "skip"] as const)("FrameReader: %s rejects what no client may send", (mode) => {
  const push = (...bytes: number[]) => [...new FrameReader(mode).push(Uint8Array.from(bytes))];
  expect(() => push(0x81, 1)).toThrow(FrameError);
  expect(() => push(0x89, 0x80 | 126)).toThrow(FrameError);
});

test("FrameReader: a frame that is too long to keep is rejected, and can be skipped", () => {
  const head = Uint8Array.of(0x82, 0xff, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0);
  expect(() => [...new FrameReader("keep").push(head)]).toThrow("too long");
  expect([...new FrameReader("skip").push(head)]).toEqual([]);
});
