import { expect, test } from "vitest";
import { decodeImageFrames, encodeImageFrame, type ImageFrame } from "./image-frames.ts";

test("frames pass a stream that is cut anywhere", async () => {
  const frames: ImageFrame[] = [
    { type: "stdout", bytes: Buffer.from("out") },
    { type: "stderr", bytes: Buffer.alloc(0) },
    { type: "exit", code: 3 },
  ];
  const all = Buffer.concat(frames.map(encodeImageFrame));
  for (let cut = 0; cut <= all.length; cut++) {
    const read: ImageFrame[] = [];
    const pieces = (async function* () {
      yield all.subarray(0, cut);
      yield all.subarray(cut);
    })();
    for await (const frame of decodeImageFrames(pieces)) read.push(frame);
    expect(read).toEqual(frames);
  }
});
