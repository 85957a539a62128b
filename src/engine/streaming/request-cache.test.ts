import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { RequestCache } from "./request-cache.ts";

function opened(): { cache: RequestCache<number>; clock: VirtualClock } {
  const clock = new VirtualClock();
  let count = 0;
  return { clock, cache: new RequestCache<number>({ clock, token: () => `t${count++}` }) };
}

test("RequestCache: a token is used once", () => {
  const { cache } = opened();
  const token = cache.insert(1);
  expect([cache.consume(token), cache.consume(token), cache.consume("t9")]).toEqual([
    1,
    undefined,
    undefined,
  ]);
});

test("RequestCache: a token expires after a minute", async () => {
  const { cache, clock } = opened();
  const [early, late] = [cache.insert(1), cache.insert(2)];
  await clock.advance(60_000);
  expect(cache.consume(early)).toBe(1);
  await clock.advance(1);
  expect(cache.consume(late)).toBe(undefined);
});

test("RequestCache: there are at most 1000 requests, until they expire", async () => {
  const { cache, clock } = opened();
  for (let i = 0; i < 1000; i++) cache.insert(i);
  expect(() => cache.insert(1000)).toThrow("maximum number of in-flight requests exceeded");
  await clock.advance(60_001);
  cache.insert(1000);
});
