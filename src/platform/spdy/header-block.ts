import type { StreamHeaders } from "../../base/stream-connection.ts";
import { numberAt, SpdyError } from "./spdy-frames.ts";

/** Headers as they are before compression: counted names and values. */
export function encodeHeaderBlock(headers: StreamHeaders): Uint8Array {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    [name.toLowerCase(), value].map((text) => encoder.encode(text)),
  );
  const block = new Uint8Array(4 + texts.reduce((sum, { length }) => sum + 4 + length, 0));
  const view = new DataView(block.buffer);
  view.setUint32(0, texts.length / 2);
  let at = 4;
  for (const text of texts) {
    view.setUint32(at, text.length);
    block.set(text, at + 4);
    at += 4 + text.length;
  }
  return block;
}

/** The first value of each header in a block; throws a `SpdyError` if the block is not complete. */
export function decodeHeaderBlock(block: Uint8Array): StreamHeaders {
  const headers: Record<string, string> = Object.create(null);
  let at = 4;
  const text = (): string => {
    const length = numberAt(block, at);
    if (at + 4 + length > block.length) throw new SpdyError("headers are not complete");
    at += 4 + length;
    return decoder.decode(block.subarray(at - length, at));
  };
  for (let count = numberAt(block, 0); count > 0; count--) {
    const name = text();
    if (name === "" || name !== name.toLowerCase())
      throw new SpdyError("header was not lowercased");
    if (headers[name] !== undefined) throw new SpdyError("multiple headers with same name");
    [headers[name] = ""] = text().split("\0");
  }
  return headers;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
