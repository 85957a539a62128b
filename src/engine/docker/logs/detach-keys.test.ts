import { expect, test } from "vitest";
import { parseDetachKeys, untilDetached } from "./detach-keys.ts";

test("parseDetachKeys", () => {
  expect(parseDetachKeys("")).toEqual([16, 17]);
  expect(parseDetachKeys("a,ctrl-[")).toEqual([97, 27]);
  expect(() => parseDetachKeys("ctrl-nosuch")).toThrow("Unknown character: 'ctrl-nosuch'");
});

test.each<[chunks: readonly string[], passed: string, detaches: boolean]>([
  [["abc"], "abc", false],
  [["a\x10", "\x11b"], "a", true],
  [["\x10x"], "\x10x", false],
  [["\x10\x10\x11"], "\x10", true],
])("untilDetached: %j", async (chunks, passed, detaches) => {
  let isDetached = false;
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  let text = "";
  const rest = untilDetached(input(), [16, 17], () => {
    isDetached = true;
  });
  for await (const bytes of rest) text += Buffer.from(bytes).toString();
  expect([text, isDetached]).toEqual([passed, detaches]);
});
