/** What an engine sends to the client of a command: output, and at last the exit code. */
export type ImageFrame =
  | { readonly type: "stdout" | "stderr"; readonly bytes: Uint8Array }
  | { readonly type: "exit"; readonly code: number };

const types = ["stdout", "stderr", "exit"] as const;

/** A frame as bytes: its type, the length of its content in four bytes, and its content. */
export function encodeImageFrame(frame: ImageFrame): Buffer {
  const content = frame.type === "exit" ? Buffer.of(frame.code) : frame.bytes;
  const head = Buffer.alloc(5);
  head[0] = types.indexOf(frame.type);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** The frames in a stream of bytes. */
export async function* decodeImageFrames(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImageFrame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of stream) {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      const type = types[rest[0] ?? 0];
      const content = rest.subarray(5, end);
      rest = rest.subarray(end);
      if (type === "exit") yield { type, code: content[0] ?? 1 };
      else if (type !== undefined) yield { type, bytes: content };
    }
  }
}
