import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { dealHand, type HashBits, hashBits } from "./shuffle-sharding.ts";

/** The same by integers of any size. */
function dealtExactly(hash: bigint, deckSize: number, handSize: number): number[] {
  const deck = Array.from({ length: deckSize }, (_, card) => card);
  let rest = hash;
  return Array.from({ length: handSize }, () => {
    const size = BigInt(deck.length);
    const [card] = deck.splice(Number(rest % size), 1);
    rest /= size;
    return card as number;
  });
}

const bits = (hash: bigint): HashBits => {
  const bytes = Uint8Array.from({ length: 8 }, (_, i) => Number((hash >> BigInt(8 * i)) & 255n));
  return hashBits(bytes);
};

each<[hash: bigint, deck: number, hand: number]>([
  [0n, 1, 1],
  [7n, 3, 2],
  [0xffff_ffff_ffff_ffffn, 128, 6],
  [0x0123_4567_89ab_cdefn, 64, 8],
  [0xdead_beef_0000_0001n, 511, 7],
  [0x8000_0000_0000_0000n, 8, 8],
])("dealHand: hash %d, deck of %d, hand of %d", (hash, deck, hand) => {
  expect(dealHand(bits(hash), deck, hand)).toEqual(dealtExactly(hash, deck, hand));
});

test("dealHand: a deck that is too large for exact numbers is refused", () => {
  expect(() => dealHand(bits(1n), 2 ** 26 + 1, 1)).toThrow(RangeError);
});
