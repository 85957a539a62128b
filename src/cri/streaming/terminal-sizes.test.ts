import { expect, test } from "vitest";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import { terminalSizes } from "./terminal-sizes.ts";

async function sizesOf(...pieces: string[]): Promise<string[]> {
  const [client, server] = byteStreamPair();
  const sending = (async () => {
    for (const piece of pieces) await client.write(new TextEncoder().encode(piece));
    await client.end();
  })();
  const sizes: string[] = [];
  for await (const { width, height } of terminalSizes(server)) sizes.push(`${width}x${height}`);
  server.destroy();
  await sending.catch(() => {});
  return sizes;
}

test.each<[string, string[], string[]]>([
  [
    "one for each message",
    ['{"Width":80,"Height":24}', '{"Width":1,"Height":2}'],
    ["80x24", "1x2"],
  ],
  [
    "several in a message",
    ['{"Width":80,"Height":24}\n{"Width":1,"Height":2}\n'],
    ["80x24", "1x2"],
  ],
  ["in pieces", ['{"Wid', 'th":80,"Heig', 'ht":24', "}"], ["80x24"]],
  ["in lower case, with more fields", ['{"width":80,"height":24,"x":"y"}'], ["80x24"]],
  ["without a field", ['{"Width":80}'], ["80x0"]],
  ["until one is invalid", ['{"Width":80,"Height":24}{"Width":-1}', '{"Width":1}'], ["80x24"]],
  ["until it is not JSON", ["hello}", '{"Width":1,"Height":2}'], []],
  ["until one is too long", ["{".repeat(2000), '{"Width":1,"Height":2}'], []],
])("terminalSizes: %s", async (_, pieces, expected) => {
  expect(await sizesOf(...pieces)).toEqual(expected);
});
