/** The largest deck: products of a remainder with 2^16 stay exact. */
const maxDeckSize = 2 ** 26;

/** The first 64 bits of a hash, from the most significant to the least: four numbers of 16 bits. */
export type HashBits = readonly [number, number, number, number];

/** The first eight bytes as a number of 64 bits, least significant byte first. */
export const hashBits = (bytes: Uint8Array): HashBits => {
  const word = (at: number) => (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256;
  return [word(6), word(4), word(2), word(0)];
};

/**
 * Deals a hand of distinct cards, numbered from 0, out of a deck: the same hand for the same hash, and different
 * hands for most others. Flows that share some of their queues with a greedy flow hardly ever share all.
 *
 * A hash of 7 from a deck of 3 with hands of 2: 7 = 2 × 3 + 1, so the first card is 1; 2 = 1 × 2 + 0, so the
 * second is the first of those that are left: 0.
 */
export function dealHand(hash: HashBits, deckSize: number, handSize: number): number[] {
  if (deckSize > maxDeckSize) throw new RangeError(`a deck of ${deckSize} cards is too large`);
  const rest: number[] = [...hash];
  const remainders: number[] = [];
  const hand: number[] = [];
  for (let i = 0; i < handSize; i++) {
    remainders.push(divide(rest, deckSize - i));
    let card = remainders[i] as number;
    for (let j = i - 1; j >= 0; j--) if (card >= (remainders[j] as number)) card++;
    hand.push(card);
  }
  return hand;
}

/** Divides a number of four digits in base 2^16 in place, and returns the remainder. */
function divide(digits: number[], divisor: number): number {
  let remainder = 0;
  for (const [i, digit] of digits.entries()) {
    const value = remainder * 65_536 + digit;
    digits[i] = Math.floor(value / divisor);
    remainder = value % divisor;
  }
  return remainder;
}
