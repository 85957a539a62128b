import { expect, test } from "vitest";
import { frameOf, MessageFrames } from "./message-frames.ts";

test("MessageFrames: messages are cut wherever the stream is", () => {
  const messages = ["", "a", "hello", "x".repeat(300)];
  const stream = Buffer.concat(messages.map((text) => frameOf(Buffer.from(text))));
  for (let size = 1; size <= stream.length; size++) {
    const frames = new MessageFrames();
    const found: string[] = [];
    for (let at = 0; at < stream.length; at += size)
      found.push(...frames.push(stream.subarray(at, at + size)).map((one) => one.toString()));
    expect(found).toEqual(messages);
  }
});
