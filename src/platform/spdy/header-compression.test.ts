import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeHeaderBlock, encodeHeaderBlock } from "./header-block.ts";
import { HeaderCompressor, HeaderDecompressor } from "./header-compression.ts";
import { headerDictionary } from "./header-dictionary.ts";

test("headers: blocks are decompressed in the order in which they were compressed", async () => {
  const compressor = new HeaderCompressor();
  const decompressor = new HeaderDecompressor();
  const sizes: number[] = [];
  for (const port of ["8080", "8080", "9090"]) {
    const headers = { streamtype: "data", port, requestid: "0", "content-type": "ä" };
    const block = await compressor.compress(encodeHeaderBlock(headers));
    sizes.push(block.length);
    expect({ ...decodeHeaderBlock(await decompressor.decompress(block)) }).toEqual(headers);
  }
  // The second block refers to the first.
  expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) / 2);
  compressor.close();
  decompressor.close();
});

test("headers: the dictionary is the one that SPDY/3 names", async () => {
  const compressor = new HeaderCompressor();
  const block = await compressor.compress(encodeHeaderBlock({}));
  expect(Buffer.from(block.subarray(2, 6)).toString("hex")).toBe("e3c6a7c2");
  compressor.close();
});

test("headers: a block that expands without end is rejected", async () => {
  const decompressor = new HeaderDecompressor();
  const bomb = deflateSync(new Uint8Array(50_000_000), { dictionary: headerDictionary });
  await expect(decompressor.decompress(bomb)).rejects.toThrow("headers are too long");
  await expect(decompressor.decompress(bomb)).rejects.toThrow("the connection is closed");
});

test.each<[string, number[]]>([
  ["headers are not complete", [0, 0, 0, 1, 0, 0, 0, 9, 97]],
  ["invalid control frame", [0, 0, 0, 1]],
  ["header was not lowercased", [0, 0, 0, 1, 0, 0, 0, 1, 65, 0, 0, 0, 0]],
  [
    "multiple headers with same name",
    [0, 0, 0, 2, 0, 0, 0, 1, 97, 0, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 0, 0],
  ],
])("decodeHeaderBlock: %s", (message, bytes) => {
  expect(() => decodeHeaderBlock(Uint8Array.from(bytes))).toThrow(message);
});
