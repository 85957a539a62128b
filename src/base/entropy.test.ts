import { expect, test } from "vitest";
import { seededEntropy } from "./entropy.ts";
import { SeededRandom } from "./random.ts";

test("seeded entropy: UUIDs are of version 4 and repeat themselves from the seed", () => {
  const entropy = seededEntropy(new SeededRandom(1));
  const uuids = Array.from({ length: 50 }, () => entropy.uuid());
  const malformed = uuids.filter(
    (uuid) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid),
  );
  expect([malformed, new Set(uuids).size]).toEqual([[], 50]);
  expect(seededEntropy(new SeededRandom(1)).uuid()).toBe(uuids[0]);
});

test("seeded entropy: a suffix spells no words", () => {
  const entropy = seededEntropy(new SeededRandom(1));
  expect(entropy.suffix(500)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{500}$/);
  expect(entropy.suffix(0)).toBe("");
});
